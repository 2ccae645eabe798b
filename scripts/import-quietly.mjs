// Imports one entry of a package and fails when that did anything but define things: read the environment, open a handle, start a timer, listen
// to the process or add a global. Run as `node import-quietly.mjs @hostside/core`; what is named behind it is imported before anything is
// looked at, because what a framework does at import is its own affair.
const [, , name = "", ...frameworks] = process.argv;
for (const framework of frameworks) await import(framework);

/** @type {Set<string>} */
const read = new Set();
const environment = process.env;
process.env = new Proxy(environment, {
  get: (target, key) => {
    note(`reads the environment variable ${String(key)}`);
    return Reflect.get(target, key);
  },
  ownKeys: (target) => {
    note("lists the environment");
    return Reflect.ownKeys(target);
  },
});
const before = look();
await import(name);
process.env = environment;
const after = look();

const changes = [...read, ...[...after].filter((fact) => !before.has(fact))];
for (const change of changes) console.error(`importing ${name} ${change}`);
process.exitCode = changes.length > 0 ? 1 : 0;

/**
 * Notes what was done to the environment, and where; Node's own loader reads it as well and does not count.
 * @param {string} what
 */
function note(what) {
  const frames = (new Error().stack ?? "").split("\n").slice(1);
  const reader = frames.find((frame) => !frame.includes("import-quietly.mjs"));
  if (reader !== undefined && !reader.includes("node:internal")) read.add(`${what} ${reader.trim()}`);
}

/** What importing must not change, as sentences. */
function look() {
  return new Set([
    ...process.getActiveResourcesInfo().map((resource, index) => `opens a ${resource} (#${index})`),
    ...process.eventNames().map((event) => `adds to ${process.listenerCount(event)} listeners for ${String(event)}`),
    ...Reflect.ownKeys(globalThis)
      .map(String)
      // zod, which some of our dependencies bring, keeps its registry there so that two copies of it can agree.
      .filter((key) => !key.startsWith("__zod_"))
      .map((key) => `defines the global ${key}`),
  ]);
}
