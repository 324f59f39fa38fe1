// A plain text field that looks like the book's listings: the coloured code lies
// underneath and gives the field its size. Tab moves on, as everywhere on a page.

import { highlight } from "./highlight.js";

const STEP = "    ";
export const KEYS = "Shift+Enter runs the cell, Ctrl+] and Ctrl+[ indent, Escape leaves the editor.";

// What Enter adds after the text before the cursor: a new line, indented like this one.
export function newLine(before) {
  const line = before.slice(before.lastIndexOf("\n") + 1);
  const indent = line.match(/^ */)[0];
  return `\n${indent}${/:\s*(#.*)?$/.test(line) ? STEP : ""}`;
}

// Move lines one step to the right or, where they can, to the left.
export function shift(lines, right) {
  const moved = (line) => (right ? (line ? STEP + line : line) : line.replace(/^ {1,4}/, ""));
  return lines.split("\n").map(moved).join("\n");
}

export class Editor {
  constructor(code, label, { changed, run, leave }) {
    this.element = document.createElement("div");
    this.element.className = "live-editor highlight";
    this.colours = document.createElement("div"); // the theme would let the keyboard stop at a <pre>
    this.colours.setAttribute("aria-hidden", "true");
    this.field = document.createElement("textarea");
    for (const [name, value] of Object.entries({
      "aria-label": label,
      "aria-describedby": "live-keys",
      autocapitalize: "off",
      autocomplete: "off",
      rows: "1",
      spellcheck: "false",
      wrap: "off",
    })) this.field.setAttribute(name, value);
    this.element.append(this.colours, this.field);
    this.code = code;
    this.field.addEventListener("input", () => {
      this.paint();
      changed();
    });
    this.field.addEventListener("keydown", (event) => {
      if (event.isComposing) return;
      const command = event.ctrlKey || event.metaKey;
      if (event.key === "Enter" && (event.shiftKey || command)) run();
      else if (event.key === "Enter" && !event.altKey) this.write(this.newLine());
      else if (event.key === "Escape") leave();
      else if (command && (event.key === "]" || event.key === "[")) {
        this.shift(event.key === "]");
      } else return;
      event.preventDefault();
    });
  }

  get code() {
    return this.field.value;
  }

  set code(text) {
    this.field.value = text;
    this.paint();
  }

  paint() {
    this.colours.innerHTML = `${highlight(this.code)}\n`;
  }

  newLine() {
    return newLine(this.code.slice(0, this.field.selectionStart));
  }

  shift(right) {
    const { selectionStart, selectionEnd } = this.field;
    const start = this.code.lastIndexOf("\n", selectionStart - 1) + 1;
    const next = this.code.indexOf("\n", selectionEnd);
    const end = next < 0 ? this.code.length : next;
    const moved = shift(this.code.slice(start, end), right);
    this.field.setSelectionRange(start, end);
    this.write(moved);
    const one = selectionStart === selectionEnd;
    this.field.setSelectionRange(one ? start + moved.length : start, start + moved.length);
  }

  // Written like this, the browser's own undo knows of it.
  write(text) {
    if (!document.execCommand("insertText", false, text)) {
      this.field.setRangeText(text, this.field.selectionStart, this.field.selectionEnd, "end");
      this.field.dispatchEvent(new Event("input"));
    }
  }
}
