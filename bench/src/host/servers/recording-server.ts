import { writeFileSync } from "node:fs";
import { createAnswer } from "./answer.ts";

// Usage: node recording-server.js FILE A stdio server with ten tools that writes down, when it is
// asked for its tools, when it began and when it got the first message of each kind: JSON, in
// milliseconds since 1970.
const begun = performance.timeOrigin + performance.now();
const [file = ""] = process.argv.slice(2);
const answer = createAnswer({ tools: 10, pageSize: 0, outputSchemas: false });
const steps: Record<string, number> = { spawned: performance.timeOrigin, running: begun };
let rest = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk: string) => {
  const now = performance.timeOrigin + performance.now();
  const lines = (rest + chunk).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) {
    const request = JSON.parse(line) as Parameters<typeof answer>[0];
    steps[request.method] ??= now;
    const text = answer(request);
    if (request.method === "tools/list") writeFileSync(file, JSON.stringify(steps));
    if (text !== undefined) process.stdout.write(`${text}\n`);
  }
});
process.stdin.on("end", () => process.exit(0));
