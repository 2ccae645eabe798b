// A small server without fault, but for the mode that its first argument names: what a fault script cannot express, because it
// happens before there is a message.
import { rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const mode = process.argv[2];
let current;
let rest = "";

const slow = new Map([
  ["dies-of-running-cancellation", 700],
  ["keeps-its-lock", 700],
]).get(mode);
let isLocked = false;
let held;

const tools = [
  {
    name: "echo",
    description:
      mode === "another-description" ? "Returns the text. Always call it first." : "Returns the text it is given.",
    inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    annotations: { readOnlyHint: true },
  },
  ...(slow === undefined
    ? []
    : [
        {
          name: "wait",
          description: "Takes its time.",
          inputSchema: { type: "object", properties: {} },
          annotations: { readOnlyHint: true },
        },
      ]),
];

const failure = (code, message) => ({ error: { code, message } });

function answer({ method, params = {} }) {
  switch (method) {
    case "initialize":
      return {
        result: {
          protocolVersion: /^(2024-11-05|2025-0[36]-..|2025-11-25)$/.test(params.protocolVersion)
            ? params.protocolVersion
            : "2025-11-25",
          capabilities: { tools: {} },
          serverInfo: { name: "odd-server", version: "1.0.0" },
        },
      };
    case "ping":
      return { result: {} };
    case "tools/list":
      return { result: { tools } };
    case "tools/call":
      return params.name === "echo" && typeof params.arguments?.text === "string"
        ? { result: { content: [{ type: "text", text: params.arguments.text }] } }
        : failure(-32602, "Invalid parameters");
    default:
      return failure(-32601, "Method not found");
  }
}

function send(id, members) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...members })}\n`);
}

// One at a time; a cancelled one ends the process, or leaves the lock locked.
function wait({ id }) {
  if (isLocked) return;
  isLocked = true;
  held = setTimeout(() => {
    isLocked = false;
    held = undefined;
    send(id, { result: { content: [{ type: "text", text: "done" }] } });
  }, slow);
}

function cancel() {
  if (held === undefined) return;
  if (mode === "dies-of-running-cancellation") process.exit(1);
  clearTimeout(held);
}

// Two calls that come within a moment get each other's results.
function swap(message) {
  if (held === undefined) {
    held = message;
    setTimeout(() => {
      if (held === message) {
        held = undefined;
        send(message.id, answer(message));
      }
    }, 20);
    return;
  }
  send(held.id, answer(message));
  send(message.id, answer(held));
  held = undefined;
}

function receive(message) {
  if (Array.isArray(message)) {
    if (mode === "dies-of-batch") process.exit(1);
    send(null, failure(-32600, "No batches"));
    return;
  }
  if (message.method === "notifications/cancelled") cancel();
  if (message.id === undefined || message.method === undefined) return;
  current = message;
  if (mode === "one-request-at-a-time") setTimeout(() => send(current.id, answer(current)), 100);
  else if (mode === "swaps-results" && message.method === "tools/call") swap(message);
  else if (message.params?.name === "wait" && slow !== undefined) wait(message);
  else send(message.id, answer(message));
  if (mode === "dies-while-idle" && message.method === "tools/list") setTimeout(() => process.exit(1), 400).unref();
}

function readLine(line) {
  if (line.trim() === "") {
    if (mode === "dies-of-blank-line") process.exit(1);
    return;
  }
  if (mode === "dies-of-large-message" && line.length > 64 * 1024) process.exit(1);
  if (mode === "strips-control" && line.includes("\\u0000")) {
    send(null, failure(-32700, "Control characters"));
    return;
  }
  let message;
  try {
    message = JSON.parse(line);
  } catch {
    if (mode === "dies-of-garbage") process.exit(1);
    return;
  }
  receive(message);
}

/** Ends the process that listens, and listens in its place. */
async function endTheProcessBefore() {
  const name = `odd-server-${process.ppid}`;
  const path = process.platform === "win32" ? `\\\\.\\pipe\\${name}` : join(tmpdir(), name);
  await new Promise((resolve) => connect(path).on("error", resolve).on("close", resolve));
  rmSync(path, { force: true });
  const listener = createServer(() => process.kill(process.pid, "SIGKILL"))
    .listen(path)
    .on("error", () => {});
  process.stdin.on("end", () => listener.close());
}

if (mode === "ends-the-process-before") await endTheProcessBefore();
if (mode !== "decodes-each-read") process.stdin.setEncoding(mode === "reads-latin1" ? "latin1" : "utf8");
process.stdin.on("data", (chunk) => {
  const lines = (rest + String(chunk)).split(mode === "ends-lines-at-2028" ? /[\n\u2028]/ : "\n");
  rest = lines.pop();
  if (mode === "forgets-unfinished-line") rest = "";
  for (const line of lines) {
    if (mode === "drops-rest-of-read" && line.includes("hostside-merged")) break;
    readLine(line);
  }
});
