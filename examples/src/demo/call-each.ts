import type { JsonObject } from "@hostside/core";
import { expectThat, localNameOf, textOf, type Stage } from "./demo-step.ts";

interface PlannedCall {
  readonly serverId: string;
  readonly toolName: string;
  readonly args: JsonObject;
  /** What the answer must contain. */
  readonly expected: string;
}

/** Calls one tool on each server that is connected, all at once. */
export async function callEach({ host, printer, servers }: Stage): Promise<void> {
  const calls = planCalls(servers.documents);
  const results = await Promise.allSettled(
    calls.map(async ({ serverId, toolName, args, expected }) => {
      const name = localNameOf(host, serverId, toolName);
      const startedAt = performance.now();
      const outcome = await host.call(name, args, { timeoutMs: 10_000 });
      const ms = Math.round(performance.now() - startedAt);
      const text = textOf(outcome);
      printer.row([name, `${ms} ms`, text], [34, 7]);
      expectThat(!outcome.isError && text.includes(expected), `${name} answered ${JSON.stringify(text)}`);
    }),
  );
  for (const result of results) if (result.status === "rejected") throw result.reason;
}

function planCalls(documents: string): readonly PlannedCall[] {
  const entity = { name: "Hostside", entityType: "project", observations: ["connects hosts to servers"] };
  return [
    { serverId: "files", toolName: "list_directory", args: { path: documents }, expected: "harbour.md" },
    { serverId: "everything", toolName: "echo", args: { message: "over stdio" }, expected: "over stdio" },
    { serverId: "memory", toolName: "create_entities", args: { entities: [entity] }, expected: "Hostside" },
    { serverId: "everything-http", toolName: "echo", args: { message: "over HTTP" }, expected: "over HTTP" },
    { serverId: "modern-http", toolName: "describe-number", args: { value: 12 }, expected: "144" },
    { serverId: "modern-stdio", toolName: "add", args: { a: 40, b: 2 }, expected: "42" },
    { serverId: "sse-only", toolName: "echo", args: { text: "over SSE" }, expected: "over SSE" },
  ];
}
