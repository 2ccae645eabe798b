import type { StdioEntry } from "@hostside/core";
/**
 * A server of both sorts of tools, as a program. Its tools are the words that it is started with:
 * those that begin with `get` are read-only, as it says. `ask` asks its user, `slow` reports its
 * text as progress and never answers, `late` waits for a file before it says anything.
 */
export const smallServer = `
  import { existsSync } from "node:fs";
  import { createInterface } from "node:readline";
  const tools = process.argv.slice(2).map((name) => ({
    name,
    description: "The tool " + name,
    inputSchema: { type: "object", properties: { text: { type: "string" } } },
    annotations: { readOnlyHint: name.startsWith("get") },
  }));
  const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
  const text = (said) => ({ content: [{ type: "text", text: said }] });
  const asked = new Map();
  const call = (id, { name, arguments: args, _meta }) => {
    if (name === "slow") return send({ method: "notifications/progress", params: { progressToken: _meta?.progressToken, progress: 1, message: args?.text } });
    if (name !== "ask") return send({ id, result: text(name + " " + (args?.text ?? "") + " " + (process.env.HOSTSIDE_SERVED ?? "")) });
    asked.set("q" + id, id);
    send({ id: "q" + id, method: "elicitation/create", params: { message: "Which one?", requestedSchema: { type: "object", properties: { which: { type: "string" } } } } });
  };
  while (tools.some(({ name }) => name === "late") && !existsSync("go")) await new Promise((resolve) => setTimeout(resolve, 10));
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, method, params, result } = JSON.parse(line);
    if (method === "initialize") send({ id, result: { protocolVersion: "2025-06-18", capabilities: { tools: { listChanged: true } }, serverInfo: { name: "small", version: "1" } } });
    else if (method === "tools/list") send({ id, result: { tools } });
    else if (method === "tools/call") call(id, params);
    else if (method === undefined && asked.has(id)) send({ id: asked.get(id), result: text("answered " + result?.action + " " + (result?.content?.which ?? "")) });
    else if (id !== undefined && method !== undefined) send({ id, error: { code: -32601, message: "no" } });
  }
`;

/** The entry of a {@linkcode smallServer} in `hostside.json`, whose file is `small.mjs`. */
export function smallEntry(...tools: readonly string[]): StdioEntry {
  return { type: "stdio", command: process.execPath, args: ["small.mjs", ...tools] };
}
