// The worker: Pyodide, with one session for the page. Packages are loaded when a cell
// imports them, never before.

let python;
let session;
let folder;
let lock;

const megabytes = (bytes) => `${Math.max(1, Math.round(bytes / 1e6))} MB`;

function closure(name, found = new Set()) {
  if (!found.has(name)) {
    found.add(name);
    lock.packages[name].depends.forEach((other) => closure(other, found));
  }
  return found;
}

async function fetched(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url} could not be loaded (${answer.status})`);
  return answer;
}

async function start(id, address) {
  folder = address;
  lock = await (await fetched(`${folder}pyodide-lock.json`)).json();
  const size = megabytes(lock.sizes.core);
  postMessage({ id, status: `Starting Python, about ${size} the first time; then the browser keeps it …` });
  const { loadPyodide } = await import(`${folder}pyodide.mjs`);
  const source = await (await fetched(new URL("session.py", import.meta.url))).text();
  python = await loadPyodide({ indexURL: folder });
  python.FS.writeFile("/home/pyodide/session.py", source);
  const provided = Object.values(lock.packages).flatMap(({ imports }) => imports);
  const emit = (output) => postMessage({ id: running, output });
  session = python.pyimport("session").Session(emit, python.toPy(provided));
  session.install();
}

let running;

async function load(id, module) {
  const [name] = Object.entries(lock.packages)
    .find(([, { imports }]) => imports.includes(module));
  const all = [...closure(name)].filter((one) => !(one in python.loadedPackages));
  const size = megabytes(all.reduce((sum, one) => sum + lock.sizes[one], 0));
  postMessage({ id, status: `Loading ${module}, about ${size} the first time …` });
  const problems = [];
  await python.loadPackage(name, {
    messageCallback: () => {},
    errorCallback: (text) => problems.push(text),
  });
  if (problems.length) throw new Error(problems.join("; "));
}

async function run(id, code, number) {
  running = id;
  for (let name; (name = session.prepare(code));) await load(id, name);
  postMessage({ id, status: `Running cell ${number} …` });
  for (;;) {
    const sound = session.run(code, number);
    if (!session.wanted) return sound;
    await load(id, session.wanted);
    postMessage({ id, output: '{"kind": "clear"}' });
  }
}

let queue = Promise.resolve();
onmessage = ({ data: { id, start: address, code, number } }) => {
  queue = queue.then(async () => {
    try {
      const done = address ? await start(id, address) : await run(id, code, number);
      postMessage({ id, done });
    } catch (error) {
      postMessage({ id, failed: error.message });
    }
  });
};
