// Imports one package and fails when that did anything but define things: read the environment, open a handle, start a timer, listen
// to the process or add a global. Run as `node import-quietly.mjs @toolport/core`.
const [, , name = ""] = process.argv;

/** @type {string[]} */
const read = [];
const environment = process.env;
process.env = new Proxy(environment, {
  get: (target, key) => {
    if (typeof key === "string") read.push(`reads the environment variable ${key}`);
    return Reflect.get(target, key);
  },
  ownKeys: (target) => {
    read.push("lists the environment");
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

/** What importing must not change, as sentences. */
function look() {
  return new Set([
    ...process.getActiveResourcesInfo().map((resource, index) => `opens a ${resource} (#${index})`),
    ...process.eventNames().map((event) => `listens to the process's ${String(event)}`),
    ...Reflect.ownKeys(globalThis).map((key) => `defines the global ${String(key)}`),
  ]);
}
