// What no gateway over pipes can be cheaper than: a process that starts a server (its command and
// arguments as JSON) and copies bytes, without a look at them.
import { spawn } from "node:child_process";

const { command, args } = JSON.parse(process.argv[2] ?? "{}") as { readonly command: string; readonly args: string[] };
const child = spawn(command, args, { stdio: ["pipe", "pipe", "ignore"] });
process.stdin.pipe(child.stdin);
child.stdout.pipe(process.stdout);
