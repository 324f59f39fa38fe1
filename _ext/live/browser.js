// Python in the browser, in a worker of its own.

export class BrowserPython {
  name = "Python in your browser";
  starting = "Starting Python in your browser …";
  keepsVariables = false; // stopping means ending it: no static site can interrupt it
  canRunEverything = false;

  // `folder`: where Python's files are; `say`: shows what is being loaded.
  constructor({ folder, say }) {
    this.folder = folder;
    this.say = say;
    this.waiting = new Map(); // by number of the question
    this.asked = 0;
  }

  start() {
    this.started ??= this.begin();
    return this.started;
  }

  begin() {
    this.worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
    this.worker.addEventListener("message", ({ data }) => this.hear(data));
    this.worker.addEventListener("error", (event) => this.lose(event.message || "no worker"));
    return this.ask({ start: this.folder.href });
  }

  ask(question, emit) {
    this.asked += 1;
    const id = this.asked;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { emit, resolve, reject });
      this.worker.postMessage({ id, ...question });
    });
  }

  hear({ id, status, output, done, failed }) {
    const asked = this.waiting.get(id);
    if (status) this.say(status);
    else if (output) asked?.emit(JSON.parse(output));
    else {
      this.waiting.delete(id);
      if (failed) asked?.reject(new Error(failed));
      else asked?.resolve(done);
    }
  }

  lose(reason) {
    for (const { reject } of this.waiting.values()) {
      reject(new Error(`Python in the browser has ended: ${reason}`));
    }
    this.waiting.clear();
  }

  // Run a cell; hand what it gives to `emit`; return whether it ran without an error.
  async run(code, number, emit) {
    await this.start();
    return this.ask({ code, number }, emit);
  }

  close() {
    this.worker?.terminate();
    this.lose("it was stopped");
    this.started = undefined;
  }
}
