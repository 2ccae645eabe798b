import { Agent, request as httpRequest } from "node:http";
import { spawn, type ChildProcess } from "node:child_process";
import type { BenchServer, Contender, CreateContender } from "../contender.ts";

/** Sends one JSON-RPC request and resolves with the parsed result. */
type Exchange = (
  method: string,
  params: object,
) => Promise<{ tools?: { name: string }[]; content?: { text: string }[] }>;

interface Line {
  readonly exchange: Exchange;
  readonly close: () => void;
}

/**
 * What no host can beat: no SDK, no handshake, no checks. Newline-delimited JSON over a child's pipes, and one keep-alive POST with
 * `node:http`; one `tools/list`, and a call is one line or one POST.
 */
export const create: CreateContender = async () => floor("floor", openHttp);

/** A floor over these two ways; the other floors differ only in how they send a POST. */
export function floor(name: string, http: (url: string) => Line): Contender {
  const lines = new Map<string, Line>();
  return {
    name,
    version: process.versions.node,
    async connect(servers) {
      for (const server of servers)
        lines.set(server.id, server.kind === "stdio" ? openStdio(server) : http(server.url));
      await Promise.all(Array.from(lines.values(), ({ exchange }) => exchange("tools/list", {})));
    },
    async listTools() {
      return Array.from(lines.keys(), (serverId) => ({ serverId, toolName: "echo", name: `${serverId}/echo` }));
    },
    async call(tool, args) {
      const slash = tool.indexOf("/");
      const line = lines.get(tool.slice(0, slash));
      const result = await line?.exchange("tools/call", { name: tool.slice(slash + 1), arguments: args });
      return result?.content?.[0]?.text ?? "";
    },
    async close() {
      for (const { close } of lines.values()) close();
    },
  };
}

function openStdio(server: Extract<BenchServer, { kind: "stdio" }>): Line {
  const child: ChildProcess = spawn(server.command, server.args, { stdio: ["pipe", "pipe", "ignore"] });
  const pending = new Map<number, (result: never) => void>();
  let rest = "";
  let lastId = 0;
  child.stdout?.setEncoding("utf8");
  child.stdout?.on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const message = JSON.parse(line) as { id: number; result: never };
      pending.get(message.id)?.(message.result);
      pending.delete(message.id);
    }
  });
  return {
    exchange: (method, params) =>
      new Promise((resolve) => {
        const id = ++lastId;
        pending.set(id, resolve);
        child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
      }),
    close: () => void child.kill(),
  };
}

function openHttp(url: string): Line {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  let lastId = 0;
  const exchange: Exchange = (method, params) =>
    new Promise((resolve, reject) => {
      const body = JSON.stringify({ jsonrpc: "2.0", id: ++lastId, method, params });
      const headers = {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "content-length": Buffer.byteLength(body),
      };
      const request = httpRequest(url, { method: "POST", agent, headers }, (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => (text += chunk));
        response.on("end", () => resolve((JSON.parse(text) as { result: never }).result));
      });
      request.on("error", reject);
      request.end(body);
    });
  return { exchange, close: () => agent.destroy() };
}
