// One cell of a page: the book's code and results, the reader's, and three buttons.

import { Editor } from "./editor.js";
import { mark } from "./link.js";
import { Outputs } from "./outputs.js";

function button(text, label, press) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "live-button";
  made.textContent = text;
  made.setAttribute("aria-label", label);
  made.addEventListener("click", press);
  return made;
}

export class Cell {
  // `page` is asked to run, and told of every change.
  constructor(element, number, page) {
    this.element = element;
    this.number = number;
    this.localOnly = element.classList.contains("tag_local-only");
    this.ranWith = null; // the code that its results and variables come from
    this.lapsed = false; // are there results, but from something else?
    this.foreign = false; // does its code come from somebody's link?
    const input = element.querySelector(".cell_input");
    const listing = input.firstElementChild;
    this.bookCode = listing.querySelector("pre").textContent.replace(/\n$/, "");
    this.mark = mark(this.bookCode);
    this.outputs = new Outputs(element, number);
    this.editor = new Editor(this.bookCode, `Code of cell ${number}`, {
      changed: () => this.edited(page),
      run: () => page.run(this),
      leave: () => this.runButton.focus(),
    });
    listing.replaceWith(this.editor.element);

    this.state = document.createElement("span");
    this.state.className = "live-state";
    this.runButton = button("Run", `Run cell ${number}`, () => page.run(this));
    this.runButton.classList.add("live-main");
    const above = button("Run all above", `Run all above cell ${number}`, () => page.runAbove(this));
    above.disabled = number === 1;
    this.resetButton = button("Reset cell", `Reset cell ${number}`, () => page.reset(this));
    this.bar = document.createElement("div");
    this.bar.className = "live-cell-bar";
    this.bar.append(this.runButton, above, this.resetButton, this.state);
    const folded = input.closest("details.hide");
    (folded && !folded.contains(this.outputs.frame) ? folded : input).after(this.bar);
    this.show();
  }

  get code() {
    return this.editor.code;
  }

  get changed() {
    return this.code !== this.bookCode;
  }

  // Do its variables and results belong to the code that stands here?
  get fresh() {
    return this.ranWith === this.code;
  }

  edited(page) {
    this.foreign &&= this.changed;
    this.show();
    page.changed();
  }

  // Put code here that came with the address.
  restore(code, foreign) {
    this.editor.code = code;
    this.foreign = foreign && this.changed;
    if (this.changed) this.element.querySelector("details.hide")?.setAttribute("open", "");
    this.show();
  }

  // What it computed is no longer there, or came from something else.
  lapse() {
    this.lapsed ||= this.ranWith !== null;
    this.ranWith = null;
    this.show();
  }

  reset() {
    this.editor.code = this.bookCode;
    this.foreign = false;
    this.ranWith = null;
    this.lapsed = false;
    this.outputs.reset();
    this.show();
  }

  // Say in words what the reader sees: whose code, whose results.
  show(note = "") {
    const whose = this.foreign ? "changed by the link, not by the book"
      : this.changed ? "changed by you" : "";
    const old = this.lapsed || (this.ranWith !== null && !this.fresh);
    const results = note || (old ? "your result, of an earlier run" : "");
    this.state.textContent = [whose, results].filter(Boolean).join("; ");
    this.element.classList.toggle("live-changed", this.changed);
    this.element.classList.toggle("live-foreign", this.foreign);
    this.resetButton.disabled = !this.changed && this.ranWith === null && !this.lapsed;
  }
}
