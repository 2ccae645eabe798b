// A stdio server that repeats what it was given wherever a server can. Its plan is a file: the text to repeat, and how to behave.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const { echo, behaviour } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

process.stderr.write(`starting with ${echo}\n`);
process.stdout.write(`banner ${echo.replaceAll("\n", " ")}\n`);
if (behaviour === "exits") process.exit(3);

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (behaviour === "refuses" && id !== undefined) {
    return send({
      id,
      error: { code: -32_000, message: `no: ${echo}`, data: { echo, list: [{ [echo]: 1 }], supported: [echo] } },
    });
  }
  switch (method) {
    case "server/discover":
      return send({ id, error: { code: -32_601, message: `unknown ${echo}` } });
    case "initialize":
      return send({
        id,
        result: {
          protocolVersion: "2025-11-25",
          capabilities: { tools: {}, logging: {}, experimental: { [echo]: { echo } } },
          serverInfo: { name: `n ${echo}`, title: `t ${echo}`, version: `v ${echo}`, description: `d ${echo}` },
          instructions: `i ${echo}`,
        },
      });
    case "tools/list": {
      const tool = { name: "t", description: `d ${echo}`, inputSchema: { type: "object" } };
      // The name of a tool that is on offer is data; that of one that is dropped is part of the reason.
      const dropped = { name: `x ${echo}`.padEnd(5000, "y"), inputSchema: { type: "object" } };
      return send({ id, result: { tools: [tool, dropped, { ...tool, name: "u" }] } });
    }
    case "tools/call":
      send({ method: "notifications/message", params: { level: "info", logger: echo, data: { echo } } });
      send({
        method: "notifications/progress",
        params: { progressToken: params._meta?.progressToken, progress: 1, message: `m ${echo}` },
      });
      send({ id: `stray ${echo}`, result: {} });
      process.stderr.write(`calling ${echo}\n`);
      if (behaviour === "dies") process.exit(1);
      return send({ id, error: { code: -32_603, message: `failed ${echo}`, data: { echo: [echo] } } });
    default:
      if (id !== undefined) send({ id, error: { code: -32_601, message: `unknown ${echo}` } });
  }
});
