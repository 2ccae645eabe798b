// Crashes on the first message. A child of its own keeps stdout and stderr open, and writes to stdout without an end.
import { spawn } from "node:child_process";

spawn(process.execPath, ["-e", "setInterval(() => console.log('still here'), 5)"], {
  stdio: ["ignore", "inherit", "inherit"],
});
process.stdin.once("data", () => process.exit(7));
