import { Agent, request as httpRequest } from "node:http";
import { spawn, type ChildProcess } from "node:child_process";
import type { BenchServer, BenchTool, Contender, CreateContender } from "../contender.ts";

interface Result {
  readonly tools?: readonly { readonly name: string }[];
  readonly nextCursor?: string;
  readonly content?: readonly { readonly text: string }[];
}

/** Sends one JSON-RPC request and resolves with the parsed result. */
type Exchange = (method: string, params: object) => Promise<Result>;

interface Line {
  readonly exchange: Exchange;
  readonly close: () => void;
}

/**
 * What no host can beat: no SDK, no handshake, no checks. Newline-delimited JSON over a child's
 * pipes, and one keep-alive POST with `node:http`; a `tools/list` for each page, and a call is one
 * line or one POST.
 */
export const create: CreateContender = async () => floor("floor", openHttp);

/** A floor over these two ways; the other floors differ only in how they send a POST. */
export function floor(name: string, http: (url: string) => Line): Contender {
  const lines = new Map<string, Line>();
  const tools = new Map<string, BenchTool>();
  return {
    name,
    version: process.versions.node,
    async connect(servers) {
      for (const server of servers)
        lines.set(server.id, server.type === "stdio" ? openStdio(server) : http(server.url));
      const lists = await Promise.all(Array.from(lines, ([serverId, line]) => listAll(serverId, line)));
      for (const tool of lists.flat()) tools.set(tool.name, tool);
    },
    listTools: async () => [...tools.values()],
    async call(tool, args) {
      const slash = tool.indexOf("/");
      const line = lines.get(tool.slice(0, slash));
      const result = await line?.exchange("tools/call", { name: tool.slice(slash + 1), arguments: args });
      return result?.content?.[0]?.text ?? "";
    },
    lookup: (tool) => tools.get(tool),
    async close() {
      for (const { close } of lines.values()) close();
    },
  };
}

async function listAll(serverId: string, { exchange }: Line): Promise<readonly BenchTool[]> {
  const all: BenchTool[] = [];
  let cursor: string | undefined;
  do {
    const { tools = [], nextCursor } = await exchange("tools/list", cursor === undefined ? {} : { cursor });
    for (const definition of tools)
      all.push({ serverId, toolName: definition.name, name: `${serverId}/${definition.name}`, definition });
    cursor = nextCursor;
  } while (cursor !== undefined);
  return all;
}

function openStdio(server: Extract<BenchServer, { type: "stdio" }>): Line {
  // In a session of its own, as Hostside starts its servers: Linux shares a loaded machine out by
  // session, so this is not free.
  const child: ChildProcess = spawn(server.command, server.args, { stdio: ["pipe", "pipe", "ignore"], detached: true });
  const pending = new Map<number, (result: Result) => void>();
  let rest = "";
  let lastId = 0;
  child.stdout?.setEncoding("utf8");
  child.stdout?.on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const message = JSON.parse(line) as { id: number; result: Result };
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

/** An answer, also where it came as the only event of a stream. */
export function bareAnswer(text: string): string {
  return text.startsWith("event:") ? text.slice(text.indexOf("data: ") + 6) : text;
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
        response.on("end", () => resolve((JSON.parse(bareAnswer(text)) as { result: Result }).result));
      });
      request.on("error", reject);
      request.end(body);
    });
  return { exchange, close: () => agent.destroy() };
}
