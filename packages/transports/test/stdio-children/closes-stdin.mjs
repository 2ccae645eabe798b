// Closes its stdin at once and keeps running.
import { closeSync } from "node:fs";

closeSync(0);
setInterval(() => {}, 1000);
process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", method: "ready" })}\n`);
