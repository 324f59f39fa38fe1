// A page whose cells can be edited and run: one Python, one queue, one status line.

import { BrowserPython } from "./browser.js";
import { Cell } from "./cell.js";
import { KEYS } from "./editor.js";
import { LocalPython } from "./jupyter.js";
import { join, pack, split, unpack } from "./link.js";

const PATIENCE = 4000; // ms that Python has for stopping before it is ended
const TYPING = 300; // ms without a key before the address is renewed
const OWN = "live-own-changes"; // the last address that this very tab made

const meta = (name) => document.querySelector(`meta[name=${name}]`);
const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`;
const count = (n, what) => `${n} ${what}${n === 1 ? "" : "s"}`;

function listed(numbers) {
  const [last, ...others] = [...numbers].reverse();
  const all = others.length ? `${others.reverse().join(", ")} and ${last}` : last;
  return `cell${others.length ? "s" : ""} ${all}`;
}

class LivePage {
  constructor(bar, status) {
    this.status = status;
    this.bar = bar;
    this.queue = Promise.resolve();
    this.round = 0; // what was asked for before a stop is not run after it
    const python = meta("live-cells").dataset.python;
    const kernels = meta("live-kernels");
    this.newPython = () => (kernels
      ? new LocalPython({ base: kernels.content, folder: kernels.dataset.folder })
      : new BrowserPython({ folder: new URL(python, location.href), say: (text) => this.say(text) }));
    this.python = this.newPython();
    this.addButtons();
    const found = [...document.querySelectorAll(".bd-article div.cell")]
      .filter((cell) => cell.querySelector(".cell_input pre"));
    this.cells = found.map((cell, i) => new Cell(cell, i + 1, this));
    for (const cell of this.cells) {
      if (cell.localOnly && !this.python.canRunEverything) cell.show("runs only with “make live”");
    }
    window.addEventListener("hashchange", () => this.restore());
    window.addEventListener("beforeunload", (event) => this.unsaved && event.preventDefault());
    window.addEventListener("pageshow", (event) => event.persisted && this.forget());
  }

  addButtons() {
    const press = {
      "Run all": () => this.runAll(),
      Stop: () => this.stop(),
      "Reset all": () => this.resetAll(),
      "Copy link": () => this.copyLink(),
    };
    const row = document.createElement("div");
    row.className = "live-buttons";
    for (const [text, act] of Object.entries(press)) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "live-button";
      button.textContent = text;
      button.addEventListener("click", act);
      row.append(button);
    }
    [this.runAllButton, this.stopButton] = row.children;
    this.runAllButton.classList.add("live-main");
    this.stopButton.disabled = true;
    const keys = document.createElement("p");
    keys.id = "live-keys";
    keys.textContent = KEYS;
    this.bar.prepend(row);
    this.bar.append(keys);
    const header = document.querySelector(".bd-header-article");
    this.bar.style.setProperty("--live-top", `${(header?.offsetHeight ?? 0) + 4}px`);
    this.bar.classList.add("live-armed");
  }

  say(text) {
    this.status.textContent = text;
  }

  // Start Python, so that it is there when the reader has read and edited.
  async warmUp() {
    this.say(this.python.starting);
    try {
      await this.python.start();
      this.say(`Ready: ${this.python.name}. Change a cell and run it; what it needs runs first.`);
    } catch (error) {
      this.say(error.message);
    }
  }

  // What the cell needs runs first: all above that has not run as it stands.
  run(cell) {
    return this.enqueue(this.cells.slice(0, cell.number), (one) => one === cell || !one.fresh);
  }

  runAbove(cell) {
    return this.enqueue(this.cells.slice(0, cell.number - 1), () => true);
  }

  runAll() {
    return this.enqueue(this.cells, () => true);
  }

  // Run those of `cells` that are `due` when their turn comes, after what runs now.
  enqueue(cells, due) {
    const { round } = this;
    this.queue = this.queue.then(async () => {
      if (round !== this.round) return;
      this.stopButton.disabled = false;
      document.body.dataset.live = "running";
      try {
        await this.runEach(cells, due, () => round === this.round);
      } catch (error) {
        if (round === this.round) {
          this.forget();
          this.say(error.message);
        }
      }
      this.stopButton.disabled = true;
      document.body.dataset.live = "armed";
    });
    return this.queue;
  }

  async runEach(cells, due, going) {
    const here = cells.filter((cell) => !cell.localOnly || this.python.canRunEverything);
    if (!this.accepted(here.filter((cell) => cell.foreign && due(cell)))) return;
    const begun = performance.now();
    if (!this.python.started) this.say(this.python.starting);
    await this.python.start();
    const ran = [];
    for (const cell of here) {
      if (!due(cell)) continue;
      if (cell.foreign && !this.accepted([cell])) return; // it came while others ran
      this.say(`Running cell ${cell.number} …`);
      const sound = await this.runCell(cell);
      if (!going()) return;
      if (!sound) {
        this.say(`Cell ${cell.number} stopped with an error; nothing after it was run.`);
        return;
      }
      ran.push(cell.number);
    }
    const what = ran.length === 1 ? `Cell ${ran[0]}` : count(ran.length, "cell");
    const left = cells.length - here.length;
    this.say([
      ran.length ? `${what} ran in ${seconds(begun)}.` : "Nothing was run.",
      left ? `${count(left, "cell")} left out: a browser lacks what they need; make live runs them.` : "",
    ].join(" ").trim());
  }

  async runCell(cell) {
    const { code, outputs } = cell;
    const begun = performance.now();
    cell.show("running …");
    outputs.begin();
    let sound = false;
    try {
      sound = await this.python.run(code, cell.number, (output) => outputs.add(output));
    } finally {
      outputs.end();
      // What was computed further down came from something else.
      if (cell.ranWith !== code) this.cells.slice(cell.number).forEach((next) => next.lapse());
      cell.ranWith = sound ? code : null;
      cell.show(sound ? `your result, ${seconds(begun)}` : "stopped with an error");
    }
    return sound;
  }

  // Code that came with a link is somebody else's: ask before it runs.
  accepted(foreign) {
    if (!foreign.length) return true;
    const which = listed(foreign.map((cell) => cell.number));
    const question = `The link you opened changed ${which}. That code is not the book's, and it `
      + "can do whatever Python can do here. Have you read it, and shall it run?";
    if (!window.confirm(question)) {
      this.say(`Nothing was run. Reset ${which} to have the book's code again.`);
      return false;
    }
    for (const cell of foreign) {
      cell.foreign = false;
      cell.show();
    }
    return true;
  }

  async stop() {
    const pressedAgain = this.stopping;
    this.stopping = true;
    this.round += 1;
    const stopped = this.queue;
    this.say("Stopping …");
    if (this.python.keepsVariables && !pressedAgain) {
      await this.python.stop();
      const slow = setTimeout(
        () => this.say("Python does not listen. Stop again ends it, with its variables."),
        PATIENCE,
      );
      await stopped;
      clearTimeout(slow);
      if (this.python.started) this.say("Stopped. The variables are still there.");
    } else {
      this.forget();
      await stopped;
      this.say("Stopped. The variables are gone; Run starts Python again, from the first cell.");
    }
    this.stopping = false;
  }

  // End Python; the next run starts another and runs what it needs.
  forget() {
    this.python.close();
    this.python = this.newPython();
    for (const cell of this.cells) cell.lapse();
  }

  reset(cell) {
    cell.reset();
    this.cells.slice(cell.number).forEach((next) => next.lapse());
    this.say(`Cell ${cell.number} is the book's again.`);
    this.changed();
  }

  async resetAll() {
    await this.save(); // what the Back button leads to
    this.round += 1;
    this.forget();
    for (const cell of this.cells) cell.reset();
    history.pushState(null, "", location.pathname + location.search);
    this.say("Every cell is the book's again. The browser's Back button brings your changes back.");
  }

  changed() {
    this.unsaved = true;
    clearTimeout(this.saving);
    this.saving = setTimeout(() => this.save(), TYPING);
  }

  // Put the changed cells into the address, where a reload finds them.
  async save() {
    clearTimeout(this.saving);
    const packed = await this.packed();
    const { anchor } = split(location.hash);
    const address = join(anchor, packed) || location.pathname + location.search;
    // What a link brought and nobody has accepted stays a link's after a reload.
    if (!this.cells.some((cell) => cell.foreign)) sessionStorage.setItem(OWN, packed);
    history.replaceState(null, "", address);
    this.unsaved = false;
  }

  packed() {
    const changes = this.cells.filter((cell) => cell.changed)
      .map(({ number, mark, code }) => ({ number, mark, code }));
    return changes.length ? pack(changes) : "";
  }

  // Take the changed cells from the address. Nothing is run.
  async restore() {
    const { anchor, packed } = split(location.hash);
    if (packed === await this.packed()) return;
    if (!packed) {
      this.save(); // the reader went to a heading: keep the changes with it
      return;
    }
    let changes;
    try {
      changes = await unpack(packed);
    } catch {
      this.say("The changes in this link could not be read; the page is as in the book.");
      return;
    }
    const foreign = packed !== sessionStorage.getItem(OWN);
    const known = ({ number, mark }) => this.cells[number - 1]?.mark === mark;
    for (const cell of this.cells) if (cell.changed) cell.reset();
    for (const { number, code } of changes.filter(known)) this.cells[number - 1].restore(code, foreign);
    if (anchor) document.getElementById(anchor)?.scrollIntoView();
    this.say(this.describe(changes, changes.filter(known), foreign));
  }

  describe(changes, known, foreign) {
    const lost = changes.length - known.length;
    const changed = known.filter(({ number }) => this.cells[number - 1].changed);
    const which = changed.length ? listed(changed.map(({ number }) => number)) : "no cell";
    const whose = foreign
      ? `This link changed ${which}. Somebody wrote that code, and not for the book: read it before you run it.`
      : `Your changes to ${which} are back.`;
    return lost ? `${whose} ${count(lost, "change")} could not be placed: the page is another by now.` : whose;
  }

  async copyLink() {
    await this.save();
    const published = document.querySelector("link[rel=canonical]")?.href;
    const link = (published ?? location.href.replace(/#.*/, "")) + location.hash;
    const changed = this.cells.filter((cell) => cell.changed).length;
    const holds = changed ? `It holds ${count(changed, "changed cell")}.` : "No cell is changed.";
    try {
      await navigator.clipboard.writeText(link);
      this.say(`The link is copied. ${holds}`);
    } catch {
      this.say(`The address bar holds the link. ${holds}`);
    }
  }
}

// Make the cells live. `asked`: did the reader ask, or did the address bring changes?
export async function arm(bar, status, asked) {
  const sheet = Object.assign(document.createElement("link"), {
    rel: "stylesheet", href: new URL("page.css", import.meta.url),
  });
  await new Promise((done) => {
    sheet.addEventListener("load", done);
    sheet.addEventListener("error", done);
    document.head.append(sheet);
  });
  const page = new LivePage(bar, status);
  await page.restore();
  document.body.dataset.live = "armed";
  if (!asked) return;
  page.runAllButton.focus();
  await page.warmUp();
}
