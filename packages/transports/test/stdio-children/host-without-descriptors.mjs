// A host that connects to its first server while it has no file descriptor left, or as few as it is told, and again when it has.
import { closeSync, openSync } from "node:fs";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { createConnector } from "../../dist/index.js";

const [kind, left = "0"] = process.argv.slice(2);
const web = createServer((request, response) => {
  request.resume();
  response.setHeader("content-type", "application/json");
  const result = { supportedVersions: ["2026-07-28"], capabilities: {} };
  request.on("data", (body) =>
    response.end(JSON.stringify({ jsonrpc: "2.0", id: JSON.parse(String(body)).id, result })),
  );
});
await new Promise((resolve) => {
  web.listen(0, "127.0.0.1", () => resolve(undefined));
});
const address = web.address();
const port = typeof address === "object" ? address?.port : undefined;
const program = fileURLToPath(new URL("answers-initialize.mjs", import.meta.url));
/** @type {import("@hostside/core").TransportSpec} */
const transport =
  kind === "stdio"
    ? { type: "stdio", command: process.execPath, args: [program] }
    : { type: "http", url: `http://127.0.0.1:${port}/mcp` };
const connector = createConnector();
const connect = () =>
  connector.connect(
    { id: "srv", era: kind === "stdio" ? "legacy" : "2026-07-28", ...transport },
    { onToolsChanged: () => {}, onDown: () => {} },
    new AbortController().signal,
  );

/** @type {number[]} */
const held = [];
try {
  for (;;) held.push(openSync("/dev/null", "r"));
} catch {
  // There is none left.
}
for (const descriptor of held.splice(0, Number(left))) closeSync(descriptor);
const failure = await connect().then(
  (first) => first.close(),
  (error) => error,
);
for (const descriptor of held) closeSync(descriptor);
const connection = await connect();
await connection.close();
web.close();
const { code, retryable, outcome, message } = failure ?? {};
const first = failure === undefined ? "connected" : { code, retryable, outcome, names: message.includes("EMFILE") };
process.stdout.write(JSON.stringify([first, "connected"]));
