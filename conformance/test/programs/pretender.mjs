// Implementations that do nothing right, over stdio: `echo`, `yes`, `no` and `is-error`.
import { createInterface } from "node:readline";

const everything = {
  protocolVersion: "2025-11-25",
  capabilities: { tools: {} },
  serverInfo: { name: "yes", version: "1.0.0" },
  supportedVersions: ["2026-07-28"],
  tools: [],
  content: [{ type: "text", text: "yes" }],
};

createInterface({ input: process.stdin }).on("line", (line) => {
  if (process.argv[2] === "echo") {
    process.stdout.write(`${line}\n`);
    return;
  }
  const { id } = JSON.parse(line);
  if (id === undefined) return;
  const members = {
    yes: { result: everything },
    no: { error: { code: -32603, message: "no" } },
    "is-error": { result: { ...everything, isError: true } },
  }[process.argv[2]];
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...members })}\n`);
});
