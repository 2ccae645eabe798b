// Answers each request on one line that is as long as `params.bytes` says; `params.idLast` says where the id stands.
import { createInterface } from "node:readline";

for await (const line of createInterface({ input: process.stdin })) {
  const { id, params } = JSON.parse(line);
  const result = { text: "x".repeat(params.bytes) };
  const answer = params.idLast ? { result, jsonrpc: "2.0", id } : { jsonrpc: "2.0", id, result };
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
