// Usage: node recording-relay.mjs <record> <command> [argument …]
// Stands between a client and a stdio server, passes every byte on, and appends each line with who wrote it to a file.
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";

const [record = "", command = "", ...args] = process.argv.slice(2);
const server = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });

/** @param {"client" | "server"} from */
function recorder(from) {
  let rest = "";
  return (/** @type {Buffer} */ chunk) => {
    const lines = (rest + chunk.toString()).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) appendFileSync(record, `${JSON.stringify({ from, line })}\n`);
  };
}

const fromClient = recorder("client");
const fromServer = recorder("server");
process.stdin.on("data", (chunk) => {
  fromClient(chunk);
  server.stdin.write(chunk);
});
process.stdin.on("end", () => server.stdin.end());
server.stdout.on("data", (chunk) => {
  fromServer(chunk);
  process.stdout.write(chunk);
});
server.stdin.on("error", () => {});
process.on("SIGTERM", () => server.kill("SIGTERM"));
server.on("exit", (code) => process.exit(code ?? 1));
