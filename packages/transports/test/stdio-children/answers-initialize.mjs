// A server without tools.
import { createInterface } from "node:readline";

for await (const line of createInterface({ input: process.stdin })) {
  const { id } = JSON.parse(line);
  const result = { protocolVersion: "2025-11-25", capabilities: {} };
  if (id !== undefined) process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
}
