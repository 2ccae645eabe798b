// Ends with its stdin, as it should; its child, in a session of its own, does not. Tells the child's process id first.
import { spawn } from "node:child_process";

const grandchild = spawn(process.execPath, ["-e", "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"], {
  stdio: "ignore",
  detached: true,
});
grandchild.unref();
process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", method: "grandchild", params: { pid: grandchild.pid } })}\n`);
process.stdin.on("end", () => process.exit(0)).resume();
