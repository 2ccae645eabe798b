import type { Diagnostic, ElicitationRequest, ElicitationResult, Progress, ServerEntry } from "@hostside/core";
import { fixtureServer, startHttpFixture } from "@hostside/fixtures";
import { createProvider, type McpProvider } from "@hostside/provider";
import { createConnector } from "@hostside/transports";
import { describe, expect, it } from "vitest";
import { failureOf } from "../calm-world.ts";

interface Row {
  readonly name: string;
  /** Whether its questions say which call they belong to. */
  readonly says: boolean;
  readonly era: "legacy" | "2026-07-28";
  readonly start: () => Promise<{ readonly transport: ServerEntry } & AsyncDisposable>;
}

const stdio = (name: "legacy-stdio" | "modern-stdio") => async () => ({
  transport: { type: "stdio" as const, ...fixtureServer(name) },
  [Symbol.asyncDispose]: async () => {},
});
const http = (name: "legacy-http" | "modern-http") => async () => {
  const server = await startHttpFixture(name, {});
  return {
    transport: { type: "http" as const, url: server.url },
    [Symbol.asyncDispose]: async () => server.close(),
  };
};
const rows: readonly Row[] = [
  { name: "stdio, handshake era", says: false, era: "legacy", start: stdio("legacy-stdio") },
  { name: "stdio, 2026-07-28", says: true, era: "2026-07-28", start: stdio("modern-stdio") },
  { name: "Streamable HTTP, handshake era", says: true, era: "legacy", start: http("legacy-http") },
  { name: "Streamable HTTP, 2026-07-28", says: true, era: "2026-07-28", start: http("modern-http") },
];

const of = (conversation: string) => ({ context: { conversation } });
const accepted: ElicitationResult = { action: "accept", content: { answer: "yes" } };

/** A provider over one server, with a person who answers when `answer` is called. */
async function start({ era }: Row, { transport }: { readonly transport: ServerEntry }) {
  const asked: ElicitationRequest[] = [];
  const said: Diagnostic[] = [];
  let answer = (): void => {};
  let notice = (): void => {};
  const wasAsked = new Promise<void>((resolve) => (notice = resolve));
  const provider: McpProvider = createProvider({
    connector: createConnector(),
    servers: [{ id: "s", ...transport, era }],
    onElicit: (request) =>
      new Promise((resolve) => {
        asked.push(request);
        answer = () => resolve(accepted);
        notice();
      }),
  });
  provider.onDiagnostic((diagnostic) => said.push(diagnostic));
  await provider.init();
  return { provider, asked, said, wasAsked, answer: () => answer() };
}

const slowly = { steps: 2, stepMs: 60 };

/** Two calls at the same time on one connection: `b` works, and the call of `a` asks. */
function together(provider: McpProvider) {
  const [ofB, ofA]: [Progress[], Progress[]] = [[], []];
  const working = provider.call("mcp_s_slow", slowly, { ...of("b"), onProgress: (each) => ofB.push(each) });
  const asking = provider.call(
    "mcp_s_ask",
    { question: "Sure?" },
    { ...of("a"), timeoutMs: 500, onProgress: (each) => ofA.push(each) },
  );
  const over = async (): Promise<unknown> => [(await working).content, ofB.map(({ progress }) => progress), ofA];
  return { asking, over };
}

const wholeWork = [[{ type: "text", text: "2 steps done" }], [1, 2], []];

describe.each(rows.filter(({ says }) => says))(
  "two conversations on one connection that says who is asked: $name",
  (row) => {
    it("have their own questions, times and progress", async () => {
      await using server = await row.start();
      const { provider, asked, said, wasAsked, answer } = await start(row, server);
      const { asking, over } = together(provider);
      await wasAsked;
      // Longer than the call that asks has.
      const long = provider.call("mcp_s_slow", { steps: 1, stepMs: 60_000 }, { ...of("b"), timeoutMs: 600 });
      expect(await failureOf(long)).toMatchObject({ code: "call_timeout", outcome: "unknown" });
      answer();
      expect((await asking).content).toEqual([{ type: "text", text: "accept: yes" }]);
      expect(asked).toMatchObject([{ serverId: "s", message: "Sure?", context: { conversation: "a" } }]);
      expect(said).toEqual([]);
      expect(await over()).toEqual(wholeWork);
      await provider.close();
    });
  },
);

describe.each(rows.filter(({ says }) => !says))("two conversations on one connection that does not: $name", (row) => {
  it("are not asked while both are at work, and have their own progress", async () => {
    await using server = await row.start();
    const { provider, asked, said } = await start(row, server);
    const { asking, over } = together(provider);
    expect((await asking).content).toEqual([{ type: "text", text: "cancel: " }]);
    expect(asked).toEqual([]);
    expect(said).toMatchObject([{ kind: "elicitation-refused", serverId: "s" }]);
    expect(await over()).toEqual(wholeWork);
    await provider.close();
  });
});

describe.each(rows)("two conversations on one connection: $name", (row) => {
  it("are asked one by one when one alone is at work, and one that gives up ends nobody else's call", async () => {
    await using server = await row.start();
    const { provider, asked, wasAsked, answer } = await start(row, server);
    const given = new AbortController();
    const up = failureOf(
      provider.call("mcp_s_slow", { steps: 1, stepMs: 60_000 }, { ...of("b"), signal: given.signal }),
    );
    const kept = provider.call("mcp_s_slow", { steps: 1, stepMs: 60 }, of("b"));
    given.abort();
    expect(await up).toMatchObject({ code: "aborted" });
    expect((await kept).content).toEqual([{ type: "text", text: "1 steps done" }]);
    const asking = provider.call("mcp_s_ask", { question: "Sure?" }, of("a"));
    await wasAsked;
    answer();
    expect((await asking).content).toEqual([{ type: "text", text: "accept: yes" }]);
    expect(asked.map(({ context }) => context)).toEqual([{ conversation: "a" }]);
    await provider.close();
  });
});
