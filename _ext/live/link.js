// Changed cells as a piece of text for the address: "#a-heading&cells=...".

const KEY = "cells=";
const LARGEST = 1_000_000; // bytes that a link may unpack to

// A short mark of the book's code, so that a link finds out when the page has changed.
export function mark(code) {
  let found = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(code)) {
    found = Math.imul(found ^ byte, 0x01000193) >>> 0;
  }
  return found.toString(36);
}

async function through(bytes, transform) {
  const reader = new Blob([bytes]).stream().pipeThrough(transform).getReader();
  const parts = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > LARGEST) {
      reader.cancel();
      throw new RangeError(`a link must unpack to at most ${LARGEST} bytes`);
    }
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

// `changes`: [{number, mark, code}], where `mark` is that of the book's own code.
export async function pack(changes) {
  const rows = changes.map(({ number, mark: own, code }) => [number, own, code]);
  const text = new TextEncoder().encode(JSON.stringify(rows));
  const packed = await through(text, new CompressionStream("deflate-raw"));
  const letters = btoa(String.fromCharCode(...packed));
  return letters.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

export async function unpack(packed) {
  const letters = packed.replaceAll("-", "+").replaceAll("_", "/");
  const bytes = Uint8Array.from(atob(letters), (letter) => letter.charCodeAt(0));
  const text = await through(bytes, new DecompressionStream("deflate-raw"));
  const rows = JSON.parse(new TextDecoder().decode(text));
  const sound = ([number, own, code]) => Number.isInteger(number)
    && typeof own === "string" && typeof code === "string";
  if (!Array.isArray(rows) || !rows.every((row) => Array.isArray(row) && sound(row))) {
    throw new TypeError("a link must hold a list of numbers, marks and codes");
  }
  return rows.map(([number, own, code]) => ({ number, mark: own, code }));
}

// "#training&cells=abc" -> {anchor: "training", packed: "abc"}
export function split(fragment) {
  const parts = fragment.replace(/^#/, "").split("&");
  const packed = parts.find((part) => part.startsWith(KEY));
  const anchor = parts.filter((part) => !part.startsWith(KEY)).join("&");
  return { anchor, packed: packed ? packed.slice(KEY.length) : "" };
}

export function join(anchor, packed) {
  const parts = [anchor, packed && KEY + packed].filter(Boolean);
  return parts.length ? `#${parts.join("&")}` : "";
}
