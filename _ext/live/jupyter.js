// Python on the reader's machine: a Jupyter kernel behind the address of the page.

import { trimmed } from "./outputs.js";

const TALK = { username: "", version: "5.3" };

const cookie = (name) => document.cookie.split("; ")
  .find((part) => part.startsWith(`${name}=`))?.slice(name.length + 1) ?? "";

export class LocalPython {
  name = "Python on your machine";
  starting = "Starting Python on your machine …";
  keepsVariables = true; // when it is stopped
  canRunEverything = true;

  // `base`: where the server is; `folder`: where in the book the kernel works.
  constructor({ base, folder }) {
    this.base = new URL(base, location.href);
    this.folder = folder;
    this.session = crypto.randomUUID();
    this.waiting = new Map(); // by message
    this.cells = new Map(); // which cell was the n-th to run
    this.leave = () => this.close();
  }

  ask(method, path, body) {
    const headers = { "Content-Type": "application/json", "X-XSRFToken": cookie("_xsrf") };
    return fetch(new URL(path, this.base), {
      method, headers, body: body && JSON.stringify(body), keepalive: method === "DELETE",
    });
  }

  start() {
    this.started ??= this.connect();
    return this.started;
  }

  async connect() {
    const answer = await this.ask("POST", "api/kernels", { name: "python3", path: this.folder });
    if (!answer.ok) throw new Error(`Python did not start (${answer.status} ${answer.statusText})`);
    this.kernel = (await answer.json()).id;
    window.addEventListener("pagehide", this.leave);
    const address = new URL(`api/kernels/${this.kernel}/channels`, this.base);
    address.protocol = address.protocol.replace("http", "ws");
    address.searchParams.set("session_id", this.session);
    this.socket = new WebSocket(address);
    this.socket.addEventListener("message", ({ data }) => this.hear(JSON.parse(data)));
    await new Promise((open, fail) => {
      this.socket.addEventListener("open", open);
      this.socket.addEventListener("error", () => fail(new Error("Python does not answer")));
    });
    this.socket.addEventListener("close", () => this.lose());
    await this.send("kernel_info_request", {}, () => {});
  }

  // Send a message; hand every answer to `hear`; resolve when Python is idle again.
  send(type, content, hear) {
    const id = crypto.randomUUID();
    const done = new Promise((resolve, reject) => {
      this.waiting.set(id, { hear, resolve, reject });
    });
    const date = new Date().toISOString();
    const header = { ...TALK, msg_id: id, msg_type: type, session: this.session, date };
    const message = { channel: "shell", header, parent_header: {}, metadata: {}, content, buffers: [] };
    this.socket.send(JSON.stringify(message));
    return done;
  }

  hear({ parent_header: parent, msg_type: type, content }) {
    if (type === "status" && content.execution_state === "restarting") this.lose();
    const asked = this.waiting.get(parent?.msg_id);
    if (!asked) return;
    if (type === "status" && content.execution_state === "idle") {
      this.waiting.delete(parent.msg_id);
      asked.resolve();
    } else asked.hear(type, content);
  }

  lose() {
    this.started = undefined;
    for (const { reject } of this.waiting.values()) {
      reject(new Error("Python has ended; its variables are gone. Is “make live” still running?"));
    }
    this.waiting.clear();
  }

  // Run a cell; hand what it gives to `emit`; return whether it ran without an error.
  async run(code, number, emit) {
    await this.start();
    let sound = true;
    await this.send("execute_request", {
      code, silent: false, store_history: true, user_expressions: {}, allow_stdin: false, stop_on_error: true,
    }, (type, content) => {
      if (type === "execute_input") this.cells.set(content.execution_count, number);
      else if (type === "stream") emit({ kind: "stream", name: content.name, text: content.text });
      else if (type === "display_data" || type === "execute_result") emit({ kind: "show", data: content.data, metadata: content.metadata });
      else if (type === "clear_output") emit({ kind: "clear" });
      else if (type === "error") {
        sound = false;
        const cellOf = (count) => this.cells.get(count) ?? number;
        emit({ kind: "error", text: trimmed(content.traceback, cellOf) });
      }
    });
    return sound;
  }

  async stop() {
    if (this.kernel) await this.ask("POST", `api/kernels/${this.kernel}/interrupt`);
  }

  close() {
    window.removeEventListener("pagehide", this.leave);
    if (!this.kernel) return;
    this.ask("DELETE", `api/kernels/${this.kernel}`).catch(() => {});
    this.kernel = undefined;
    this.started = undefined;
    this.socket?.close();
  }
}
