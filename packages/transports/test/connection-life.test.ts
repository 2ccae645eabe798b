import { fixtureServer, startHttpFixture, type StdioFixture } from "@hostside/fixtures";
import type { ElicitationRequest, Progress, ServerSpec, HostsideError } from "@hostside/core";
import type { ConnectionHooks } from "@hostside/core/implement";
import { afterEach, describe, expect, it, vi } from "vitest";
import { connect, type ConnectOptions } from "../src/index.ts";

type Start = () => Promise<ServerSpec>;

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

const stdio =
  (name: StdioFixture): Start =>
  async () => ({ id: name, type: "stdio", ...fixtureServer(name) });

const http =
  (name: "legacy-http" | "modern-http" | "sse-only"): Start =>
  async () => {
    const server = await startHttpFixture(name);
    closers.push(() => server.close());
    return { id: name, type: "http", url: server.url };
  };

const both = [
  { name: "legacy over stdio", start: stdio("legacy-stdio") },
  { name: "2026-07-28 over stdio", start: stdio("modern-stdio") },
  { name: "legacy over HTTP", start: http("legacy-http") },
  { name: "2026-07-28 over HTTP", start: http("modern-http") },
  { name: "legacy over HTTP+SSE", start: http("sse-only") },
];

describe("elicitation", () => {
  it.each(both)("is answered by the host's hook: $name", async ({ start }) => {
    const asked: ElicitationRequest[] = [];
    const connection = await open(start, {
      onElicit: async (request) => {
        asked.push(request);
        return { action: "accept", content: { answer: "42" } };
      },
    });
    const context = { conversation: "c-1" };
    const result = await connection.callTool("ask", { question: "How much?" }, { context });
    expect(result["content"]).toEqual([{ type: "text", text: "accept: 42" }]);
    expect(asked).toMatchObject([
      { mode: "form", message: "How much?", params: { requestedSchema: { type: "object" } }, context },
    ]);
  });

  it.each(both)("is not offered without a hook: $name", async ({ start }) => {
    const connection = await open(start);
    const outcome = await connection.callTool("ask", { question: "?" }).then(
      ({ isError }) => isError,
      ({ code }: HostsideError) => code,
    );
    expect([true, "input_required"]).toContain(outcome);
  });
});

describe("a change of the tools", () => {
  it.each(both)("is told, and the next listing has it: $name", async ({ start }) => {
    const onToolsChanged = vi.fn<() => void>();
    const connection = await open(start, { onToolsChanged });
    await connection.listTools();
    expect(onToolsChanged).not.toHaveBeenCalled();
    await connection.callTool("add-tool", { name: "extra" });
    await vi.waitFor(() => expect(onToolsChanged).toHaveBeenCalled(), { timeout: 60_000 });
    const { tools } = await connection.listTools();
    expect(tools.map(({ name }) => name)).toContain("extra");
  });
});

describe("a call", () => {
  it.each(both)("reports progress and can be aborted, and the connection goes on: $name", async ({ start }) => {
    const connection = await open(start);
    const reports: Progress[] = [];
    await connection.callTool("slow", { steps: 3, stepMs: 1 }, { onProgress: (progress) => reports.push(progress) });
    expect(reports).toEqual([1, 2, 3].map((step) => ({ progress: step, total: 3, message: `step ${step} of 3` })));

    const controller = new AbortController();
    const call = connection.callTool(
      "slow",
      { steps: 1000, stepMs: 50 },
      { signal: controller.signal, onProgress: () => controller.abort("enough") },
    );
    await expect(call).rejects.toMatchObject({ code: "aborted", outcome: "unknown", toolName: "slow" });
    await expect(connection.callTool("echo", { text: "on" })).resolves.toMatchObject({ content: [{ text: "on" }] });
  });

  it.each(both)("ends with call_timeout, and the connection goes on: $name", async ({ start }) => {
    const connection = await open(start);
    const call = connection.callTool("slow", { steps: 1000, stepMs: 50 }, { timeoutMs: 100 });
    await expect(call).rejects.toMatchObject({ code: "call_timeout", outcome: "unknown" });
    await expect(connection.callTool("echo", { text: "on" })).resolves.toMatchObject({ content: [{ text: "on" }] });
  });

  it.each(both)("brings a tool's own failure back as a value, and the rest unchanged: $name", async ({ start }) => {
    const connection = await open(start);
    await expect(connection.callTool("fail", {})).resolves.toMatchObject({ isError: true });
    const { structuredContent } = await connection.callTool("describe-number", { value: 3 });
    expect(structuredContent).toEqual({ value: 3, even: false, square: 9 });
  });
});

describe("the end of a server", () => {
  it.each(["legacy-stdio", "modern-stdio"] as const)(
    "rejects the call under way and is told once: %s",
    async (name) => {
      const onDown = vi.fn<ConnectionHooks["onDown"]>();
      const connection = await open(stdio(name), { onDown });
      const { content } = await connection.callTool("pid", {});
      const call = connection.callTool(
        "slow",
        { steps: 1000, stepMs: 50 },
        { onProgress: () => process.kill(pidIn(content), "SIGKILL") },
      );
      await expect(call).rejects.toMatchObject({
        code: "server_exited",
        outcome: "unknown",
        toolName: "slow",
        details: { exitSignal: "SIGKILL", operation: "tools/call" },
      });
      await vi.waitFor(
        () => expect(onDown).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: "server_exited" })),
        60_000,
      );
      await expect(connection.callTool("echo", { text: "?" })).rejects.toMatchObject({
        code: "server_exited",
        outcome: "not-sent",
      });
    },
  );

  it("over legacy HTTP is an expired session: refused, told once, and not sent again", async () => {
    const first = await startHttpFixture("legacy-http");
    const onDown = vi.fn<ConnectionHooks["onDown"]>();
    const connection = await open(async () => ({ id: "srv", type: "http", url: first.url }), { onDown });
    await first.close();
    const second = await startHttpFixture("legacy-http", { port: Number(new URL(first.url).port) });
    closers.push(() => second.close());
    const calls = await Promise.allSettled([1, 2, 3].map(() => connection.callTool("echo", { text: "?" })));
    expect(calls.map((each) => each.status === "rejected" && each.reason)).toMatchObject(
      [1, 2, 3].map(() => ({ code: "session_expired", outcome: "failed" })),
    );
    await vi.waitFor(
      () => expect(onDown).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: "session_expired" })),
      60_000,
    );
  });

  it("over modern HTTP is a gap in the change stream, which comes back with the server", async () => {
    const first = await startHttpFixture("modern-http");
    const onToolsChanged = vi.fn<() => void>();
    const onDown = vi.fn<ConnectionHooks["onDown"]>();
    const connection = await open(async () => ({ id: "srv", type: "http", url: first.url }), {
      onToolsChanged,
      onDown,
    });
    await first.close();
    await vi.waitFor(() => expect(onToolsChanged).toHaveBeenCalledTimes(1), { timeout: 60_000 });
    await expect(connection.callTool("echo", { text: "?" })).rejects.toMatchObject({
      code: "unreachable",
      outcome: "not-sent",
    });
    const second = await startHttpFixture("modern-http", { port: Number(new URL(first.url).port) });
    closers.push(() => second.close());
    await vi.waitFor(() => expect(onToolsChanged).toHaveBeenCalledTimes(2), { timeout: 60_000 });
    await expect(connection.callTool("echo", { text: "on" })).resolves.toMatchObject({ content: [{ text: "on" }] });
    expect(onDown).not.toHaveBeenCalled();
  });
});

describe("close()", () => {
  it.each(both)("rejects what is under way, calls no hook any more, and leaves nothing: $name", async ({ start }) => {
    const onDown = vi.fn<ConnectionHooks["onDown"]>();
    const onToolsChanged = vi.fn<() => void>();
    const connection = await open(start, { onDown, onToolsChanged });
    const call = connection.callTool("slow", { steps: 1000, stepMs: 50 });
    const [rejection] = await Promise.all([call.catch((error: unknown) => error), connection.close()]);
    expect(rejection).toMatchObject({ code: "closed", outcome: "unknown" });
    onToolsChanged.mockClear();
    await expect(connection.listTools()).rejects.toMatchObject({ code: "closed", outcome: "not-sent" });
    expect([onDown.mock.calls, onToolsChanged.mock.calls]).toEqual([[], []]);
  });
});

async function open(start: Start, options: ConnectOptions = {}) {
  const connection = await connect(await start(), options);
  closers.push(() => connection.close());
  return connection;
}

function pidIn(content: unknown): number {
  return Number(/"text":"(\d+)"/.exec(JSON.stringify(content))?.[1]);
}
