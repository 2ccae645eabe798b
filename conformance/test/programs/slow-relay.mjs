// Between the kit and a good server over stdio: `slow-relay.mjs SEED COMMAND ARGS…`. Holds some messages of the server, and those after
// them, for up to 15 seconds each. The seed and the text of a message say which and for how long.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { delayOf } from "./delay-of.mjs";

const [seed = "", command = "", ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
let last = Promise.resolve();

process.stdin.pipe(child.stdin);
child.stdin.on("error", () => {});
createInterface({ input: child.stdout, crlfDelay: Infinity }).on("line", (line) => {
  const held = new Promise((resolve) => setTimeout(resolve, delayOf(seed, line)));
  last = Promise.all([last, held]).then(() => void process.stdout.write(`${line}\n`));
});
process.on("SIGTERM", () => child.kill("SIGTERM"));
child.on("close", (code) => void last.then(() => process.exit(code ?? 1)));
