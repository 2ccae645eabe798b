// Ends with its stdin. A daemon of its own, in another process group, holds its pipes until they break.
import { spawn } from "node:child_process";

spawn(process.execPath, ["-e", "setInterval(() => process.stdout.write('still here\\n'), 20)"], {
  stdio: ["ignore", "inherit", "inherit"],
  detached: true,
}).unref();
process.stdin.resume();
