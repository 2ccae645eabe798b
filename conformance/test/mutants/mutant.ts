import type { FaultAction, FaultRule, FaultScript, JsonObject, RunningServer } from "@hostside/fixtures";
import type { OddStreams } from "./odd-streams.ts";

/** A server that is wrong in one way, and the checks that find it. */
export interface Mutant {
  readonly id: string;
  /** What is wrong with it, as a clause. */
  readonly wrong: string;
  /** Over HTTP it runs in the test's own process, which costs next to nothing. */
  readonly transport: "stdio" | "http" | "sse";
  /**
   * How it behaves: deviations from a good server, the name of a mode of
   * `programs/odd-server.mjs`, or what starts it in the test's own process.
   */
  readonly script: FaultScript | string | (() => Promise<RunningServer>);
  /** `true`: it is reached through a proxy that hides the origin of requests from it. */
  readonly hidesOrigin?: boolean;
  /** It is reached through a proxy that makes its streams odd. */
  readonly oddStreams?: OddStreams;
  /** `true`: it wants a token, for which the kit signs in. */
  readonly signsIn?: boolean;
  /** The checks that fail, all of them, in any order. */
  readonly fails: readonly string[];
}

/** A mutant over HTTP whose deviations are rules. */
export function overHttp(id: string, wrong: string, { rules, fails, ...script }: Deviation): Mutant {
  return { id, wrong, transport: "http", script: { ...script, rules: [...(rules ?? []), ...goodRules] }, fails };
}

/** The same over stdio, in a process of its own. */
export function overStdio(id: string, wrong: string, { rules, fails, ...script }: Deviation): Mutant {
  return { id, wrong, transport: "stdio", script: { ...script, rules: [...(rules ?? []), ...goodCallRules] }, fails };
}

/** The same over HTTP+SSE of 2024-11-05. */
export function overSse(id: string, wrong: string, { rules, fails, ...script }: Deviation): Mutant {
  return { id, wrong, transport: "sse", script: { ...script, rules: [...(rules ?? []), ...goodCallRules] }, fails };
}

/** A mutant whose only fault is in the definition of one more tool. */
export function withTool(
  id: string,
  wrong: string,
  { tool, fails }: { tool: JsonObject | null; fails: readonly string[] },
): Mutant {
  return overHttp(id, wrong, { tools: [goodTool, tool], fails });
}

/** A deviation from a good server. */
export interface Deviation extends FaultScript {
  readonly fails: readonly string[];
}

/** A tool without fault, which the kit calls. */
export const goodTool: JsonObject = {
  name: "echo",
  description: "Returns the text it is given.",
  inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  annotations: { readOnlyHint: true },
};

/** A tool without fault but for what `more` says, which the kit does not call. */
export function tool(name: string, more: JsonObject = {}): JsonObject {
  return { name, description: `Does ${name}.`, inputSchema: { type: "object", properties: {} }, ...more };
}

export function respond(message: JsonObject): FaultAction {
  return { type: "respond", message };
}

export function result(members: JsonObject): FaultAction {
  return respond({ result: members });
}

export function rule(on: string, where: FaultRule["where"] | undefined, ...actions: readonly FaultAction[]): FaultRule {
  return { on, ...(where && { where }), do: actions };
}

export const proceed: FaultAction = { type: "proceed" };

const goodCallRules: readonly FaultRule[] = [
  rule(
    "tools/call",
    { "params.name": "echo", "params.arguments.text": null },
    respond({ error: { code: -32_602, message: "text is missing" } }),
  ),
];

const badRequest = (code: number, message: string): FaultAction => ({
  type: "http",
  status: 400,
  json: { jsonrpc: "2.0", id: null, error: { code, message } },
});

/** What a good server does over HTTP beside what a fault server does by itself. */
export const goodRules: readonly FaultRule[] = [
  rule("POST", { "http.headers.mcp-protocol-version": "1999-01-01" }, badRequest(-32_000, "Unsupported version")),
  rule(
    "POST",
    { "http.headers.mcp-method": "tools/call", method: "tools/list" },
    badRequest(-32_020, "Header mismatch"),
  ),
  ...goodCallRules,
];
