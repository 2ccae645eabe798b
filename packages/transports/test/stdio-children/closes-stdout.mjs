// Closes its stdout on the first message and keeps running.
import { closeSync } from "node:fs";

process.stdin.once("data", () => closeSync(1));
setInterval(() => {}, 1000);
