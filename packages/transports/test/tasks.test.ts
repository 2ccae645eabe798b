import { HostsideError, type ElicitationRequest, type JsonObject, type ServerSpec } from "@hostside/core";
import { afterEach, describe, expect, it, vi } from "vitest";
import { connect, type ConnectOptions } from "../src/index.ts";

const tasksExtension = "io.modelcontextprotocol/tasks";
const working = { taskId: "t-1", status: "working", ttlMs: null, pollIntervalMs: 100 };
const done = { ...working, status: "completed", result: { content: [{ type: "text", text: "done" }] } };

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

describe("a call that becomes a task", () => {
  it("goes on until the task has ended, asking as often as the server suggests", async () => {
    const { connection, server } = await open([working, working, done]);
    await expect(connection.callTool("job", { a: 1 }, { meta: { trace: "x" } })).resolves.toEqual(done.result);
    expect(server.methods()).toEqual(["tools/call", "tasks/get", "tasks/get", "tasks/get"]);
    for (const { params } of server.requests.slice(1)) expect(params).toMatchObject({ taskId: "t-1" });
    const { _meta: meta } = server.requests[0]?.params ?? {};
    expect(meta).toMatchObject({
      trace: "x",
      "io.modelcontextprotocol/clientCapabilities": { extensions: { [tasksExtension]: {} } },
    });
  });

  it("has with each request about the task what its observer gives just then", async () => {
    const { connection, server } = await open([working, done]);
    let asked = 0;
    const meta = (): JsonObject => ({ traceparent: `00-${(asked += 1)}` });
    await connection.callTool("job", {}, { observer: { meta } });
    const [call, ...asking] = server.requests.map(({ params }) => params?.["_meta"]);
    expect(call).not.toHaveProperty("traceparent");
    expect(asking).toMatchObject([{ traceparent: "00-1" }, { traceparent: "00-2" }]);
  });

  it("is nothing that a host has to expect that did not say so", async () => {
    const { connection, server } = await open([done], { tasks: undefined });
    await expect(connection.callTool("job", {})).rejects.toMatchObject({ code: "protocol_error", outcome: "unknown" });
    const { _meta: meta } = server.requests[0]?.params ?? {};
    expect(meta).toMatchObject({ "io.modelcontextprotocol/clientCapabilities": {} });
    expect(JSON.stringify(meta)).not.toContain(tasksExtension);
  });

  it("asks a human once, however often the server repeats its question", async () => {
    const question = { method: "elicitation/create", params: { mode: "form", message: "Sure?", requestedSchema: {} } };
    const asking = { ...working, status: "input_required", inputRequests: { sure: question } };
    const asked: ElicitationRequest[] = [];
    const { connection, server } = await open([asking, asking, working, done], {
      onElicit: async (request) => {
        asked.push(request);
        return { action: "accept", content: { yes: true } };
      },
    });
    const context = { principal: "ann" };
    await expect(connection.callTool("job", {}, { context })).resolves.toEqual(done.result);
    expect(asked).toMatchObject([{ message: "Sure?", context }]);
    const updates = server.requests.filter(({ method }) => method === "tasks/update");
    expect(updates.map(({ params }) => params)).toMatchObject([
      { taskId: "t-1", inputResponses: { sure: { action: "accept", content: { yes: true } } } },
    ]);
  });

  it.each([
    {
      name: "failed, with the error of the call",
      state: { ...working, status: "failed", error: { code: -32_603, message: "out of paper" } },
      error: { code: "server_error", outcome: "failed", details: { rpcCode: -32_603, operation: "tools/call" } },
    },
    {
      name: "was cancelled",
      state: { ...working, status: "cancelled" },
      error: { code: "server_error", outcome: "unknown" },
    },
    { name: "has a status of its own", state: { ...working, status: "dreaming" }, error: { code: "protocol_error" } },
    { name: "has no result", state: { ...working, status: "completed" }, error: { code: "protocol_error" } },
    {
      name: "wants something that is not offered",
      state: { ...working, status: "input_required", inputRequests: { s: { method: "sampling/createMessage" } } },
      error: { code: "input_required", outcome: "unknown" },
    },
    {
      name: "is not known any more",
      state: { error: { code: -32_602, message: "Task not found" } },
      error: { code: "server_error", outcome: "unknown", retryable: false },
    },
  ])("fails when the task $name", async ({ state, error }) => {
    const { connection } = await open([state]);
    await expect(connection.callTool("job", {})).rejects.toMatchObject({ toolName: "job", ...error });
  });

  it.each([
    { name: "the caller", give: (controller: AbortController) => controller.abort(), options: {}, code: "aborted" },
    { name: "its deadline", give: () => undefined, options: { timeoutMs: 300 }, code: "call_timeout" },
  ])("cancels the task when $name gives it up, with an unknown outcome", async ({ give, options, code }) => {
    const { connection, server } = await open([working]);
    const controller = new AbortController();
    const calling = connection.callTool("job", {}, { signal: controller.signal, ...options });
    calling.catch(() => undefined);
    await vi.waitFor(() => expect(server.methods()).toContain("tasks/get"), 60_000);
    give(controller);
    await expect(calling).rejects.toMatchObject({ code, outcome: "unknown", toolName: "job" });
    await vi.waitFor(() => expect(server.methods().at(-1)).toBe("tasks/cancel"), 60_000);
    await expect(connection.request("ping-like")).resolves.toBeDefined();
  });

  it("ends with its connection, and is never said to have been not sent", async () => {
    const { connection, server } = await open([working]);
    const calling = connection.callTool("job", {});
    calling.catch(() => undefined);
    await vi.waitFor(() => expect(server.methods()).toContain("tasks/get"), 60_000);
    await connection.close();
    await expect(calling).rejects.toMatchObject({ code: "closed", outcome: "unknown" });
  });

  it.each([
    { name: "between two questions about the task", pollIntervalMs: 60_000 },
    { name: "while one is under way", pollIntervalMs: 100 },
  ])("says why its connection was closed, $name", async ({ pollIntervalMs }) => {
    const { connection, server } = await open([{ ...working, pollIntervalMs }, undefined]);
    const calling = connection.callTool("job", {});
    calling.catch(() => undefined);
    const asked = pollIntervalMs === 100 ? 3 : 2;
    await vi.waitFor(() => expect(server.methods()).toHaveLength(asked), 60_000);
    await connection.close("the user left");
    const message = expect.stringContaining("the user left");
    await expect(calling).rejects.toMatchObject({ code: "closed", outcome: "unknown", toolName: "job", message });
  });

  it("leaves a server alone for as long as it asks for", async () => {
    const tooMany = new HostsideError("slow down", { code: "rate_limited", details: { retryAfterMs: 60_000 } });
    const { connection, server } = await open([tooMany as never]);
    await expect(connection.callTool("job", {}, { timeoutMs: 1000 })).rejects.toMatchObject({ code: "call_timeout" });
    expect(server.methods().filter((method) => method === "tasks/get")).toHaveLength(1);
  });

  it("survives an answer that was lost", async () => {
    const { connection } = await open([undefined, done], { requestMs: 200 });
    await expect(connection.callTool("job", {})).resolves.toEqual(done.result);
  });
});

it("hands on what a server says of its tasks", async () => {
  const seen: unknown[] = [];
  const { server } = await open([], { onNotification: (each) => seen.push(each) });
  server.notify("notifications/tasks", working);
  expect(seen).toEqual([{ method: "notifications/tasks", params: working }]);
});

interface TaskServer {
  readonly requests: { readonly method: string; readonly params: JsonObject }[];
  readonly methods: () => readonly string[];
  readonly notify: (method: string, params: JsonObject) => void;
}

/**
 * A server of 2026-07-28 that makes a task of every call; `states` are what it says of it, one
 * after another, and then the last of them.
 */
async function open(
  states: readonly (JsonObject | undefined)[],
  { requestMs, ...options }: ConnectOptions & { readonly requestMs?: number } = { tasks: true },
) {
  const server = createTaskServer(states);
  const spec: ServerSpec = {
    id: "jobs",
    type: "custom",
    open: () => server.transport,
    era: "2026-07-28",
    ...(requestMs !== undefined && { timeouts: { requestMs } }),
  };
  const connection = await connect(spec, "tasks" in options ? options : { tasks: true, ...options });
  closers.push(() => connection.close());
  return { connection, server };
}

function createTaskServer(states: readonly (JsonObject | undefined)[]): TaskServer & { readonly transport: object } {
  const requests: { method: string; params: JsonObject }[] = [];
  let polls = 0;
  const answer = (method: string): JsonObject | undefined => {
    if (method === "server/discover")
      return {
        result: { supportedVersions: ["2026-07-28"], capabilities: { tools: {} }, ttlMs: 0, cacheScope: "public" },
      };
    if (method === "tools/call") return { result: { ...working, resultType: "task" } };
    if (method !== "tasks/get") return { result: { resultType: "complete" } };
    const state = states[Math.min(polls, states.length - 1)];
    polls += 1;
    if (state === undefined || state instanceof Error) return state;
    return "error" in state && !("status" in state) ? state : { result: { resultType: "complete", ...state } };
  };
  const transport = {
    onmessage: (_message: object): void => undefined,
    start: async () => undefined,
    close: async () => undefined,
    async send(message: { id?: number; method: string; params: JsonObject }) {
      const { id, method, params } = message;
      if (id === undefined) return;
      if (method !== "server/discover") requests.push({ method, params });
      const reply = answer(method);
      if (reply instanceof Error) throw reply;
      if (reply !== undefined) queueMicrotask(() => transport.onmessage({ jsonrpc: "2.0", id, ...reply }));
    },
  };
  return {
    transport,
    requests,
    methods: () => requests.map(({ method }) => method),
    notify: (method, params) => transport.onmessage({ jsonrpc: "2.0", method, params }),
  };
}
