// What a cell gives: text, errors, tables, drawings. The book's own stands until then.

import { renew, restore } from "./prose.js";

const COLOURS = /\x1b\[[0-9;]*m/g;
const KINDS = ["text/html", "image/svg+xml", "image/png", "text/plain"]; // best first

// Keep of a Jupyter traceback what concerns the reader: the lines of cells, the message.
// `cellOf` gives the number of the cell that was the n-th to run.
export function trimmed(traceback, cellOf) {
  const parts = traceback.map((part) => part.replace(COLOURS, "").trimEnd());
  const own = parts.filter((part) => /^\s*Cell In\[\d+\]/.test(part)).map((part) => {
    const [place, ...code] = part.trim()
      .replace(/^Cell In\[(\d+)\]/, (_, count) => `Cell ${cellOf(Number(count))}`)
      .split("\n");
    const arrow = code.find((line) => line.startsWith("-"));
    return [place, ...(arrow ? [arrow] : code)].join("\n").trimEnd();
  });
  const last = parts.at(-1);
  return own.includes(last) || /^\s*Cell In/.test(last) ? own.join("\n") : [...own, last].join("\n");
}

function element(name, className, text = "") {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}

function shown(data, alt) {
  const kind = KINDS.find((known) => data[known] !== undefined);
  if (!kind) return null;
  const content = [data[kind]].flat().join("");
  if (kind === "text/plain") {
    const made = element("div", "output text_plain highlight");
    made.append(element("pre", "", content));
    return made;
  }
  const made = element("div", kind === "text/html" ? "output text_html" : "output image_png");
  if (kind === "image/png") {
    const image = new Image();
    image.src = `data:image/png;base64,${content}`;
    image.alt = alt;
    made.append(image);
  } else made.innerHTML = content;
  return made;
}

export class Outputs {
  constructor(cell, number) {
    this.number = number;
    this.frame = cell.querySelector(".cell_output");
    if (!this.frame) {
      this.frame = element("div", "cell_output docutils container");
      (cell.querySelector(":scope.tag_hide-cell > details") ?? cell).append(this.frame);
    }
    // In a figure only the drawing is replaced; its number and caption stand.
    this.place = this.frame.querySelector("figure") ?? this.frame;
    const isOutput = (node) => node.classList.contains("output");
    this.book = [...this.place.children].filter(isOutput);
    this.live = element("div", "live-output");
    this.glued = new Set(); // names of numbers in the prose
  }

  // The last results stand, dimmed, until the first new one comes.
  begin() {
    this.waiting = true;
    this.frame.classList.add("live-waiting");
  }

  clear() {
    if (!this.waiting) this.live.replaceChildren();
    else {
      this.waiting = false;
      this.frame.classList.remove("live-waiting");
      this.live = element("div", "live-output");
      this.place.querySelector(":scope > .live-output")?.remove();
      for (const node of this.book) node.remove(); // their ids must not be there twice
      this.place.prepend(this.live);
    }
  }

  add({ kind, text, name, data, metadata }) {
    if (this.waiting || kind === "clear") this.clear();
    if (kind === "stream" || kind === "error") this.write(text.replace(COLOURS, ""), name ?? kind);
    else if (kind === "show") {
      const number = renew({ data, metadata });
      if (number) this.glued.add(number);
      const made = shown(data, `Drawn by cell ${this.number}`);
      if (!made) return;
      this.live.append(made);
      window.bookCharts?.draw(made);
    }
  }

  write(text, name) {
    const last = this.live.lastElementChild;
    if (last?.dataset.stream === name) last.firstChild.append(text);
    else {
      const made = element("div", `output stream highlight live-${name}`);
      made.dataset.stream = name;
      made.append(element("pre", "", text));
      this.live.append(made);
    }
  }

  end() {
    if (this.waiting) this.clear(); // it gave nothing
    if (!this.live.childElementCount) this.live.remove();
    for (const wide of this.live.querySelectorAll("pre, .book-table-frame")) {
      if (wide.scrollWidth > wide.clientWidth) wide.tabIndex = 0; // for the keyboard
    }
  }

  // Show the book's results again.
  reset() {
    this.waiting = false;
    this.frame.classList.remove("live-waiting");
    this.place.querySelector(":scope > .live-output")?.remove();
    this.place.prepend(...this.book);
    this.glued.forEach(restore);
  }
}
