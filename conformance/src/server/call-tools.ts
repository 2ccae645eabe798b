import type { JsonObject } from "@hostside/core";
import { consentedTools, type ConsentedTool, type ToolsWithConsent } from "./consented-tools.ts";
import type { Answer, StdioSession } from "./raw-session.ts";
import type { ReadySession } from "./ready-session.ts";

/** A call and what became of it. */
export interface MadeCall {
  readonly tool: ConsentedTool;
  readonly answer: Answer;
  readonly durationMs: number;
}

/** One call of each tool that may be called. */
export interface ToolCalls {
  /** On this session, which served nothing else. */
  readonly ready: ReadySession;
  readonly calls: readonly MadeCall[];
  /** How many lines that are no message had been on stdout before the first call; 0 over HTTP. */
  readonly anomaliesBefore: number;
}

// Read-only tools are cheap, but a server may have hundreds of them.
const mostCalled = 10;

/**
 * Calls the tools that may be called, all at once, on a session of their own. What takes longer
 * than an answer may take is silence. `undefined` when no tool may be called.
 */
export async function callTools(
  target: ToolsWithConsent & { openReady(): Promise<ReadySession> },
): Promise<ToolCalls | undefined> {
  const tools = (await consentedTools(target)).slice(0, mostCalled);
  if (tools.length === 0) return undefined;
  const ready = await target.openReady();
  const anomaliesBefore = "anomalies" in ready.session ? (ready.session as StdioSession).anomalies.length : 0;
  const calls = await Promise.all(
    tools.map(async (tool) => {
      const startedAt = performance.now();
      const answer = await callTool(ready, tool, tool.args);
      return { tool, answer, durationMs: performance.now() - startedAt };
    }),
  );
  return { ready, calls, anomaliesBefore };
}

/** Calls one tool; `undefined` leaves the arguments out. */
export function callTool(
  { request }: ReadySession,
  { name }: ConsentedTool,
  args: JsonObject | undefined,
): Promise<Answer> {
  return request("tools/call", { name, ...(args && { arguments: args }) });
}
