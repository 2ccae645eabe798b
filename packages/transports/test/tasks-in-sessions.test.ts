import type { CallTask, ElicitationRequest, JsonObject, Progress, ServerSpec } from "@hostside/core";
import { afterEach, describe, expect, it, vi } from "vitest";
import { connect, type ConnectOptions } from "../src/index.ts";
import { startSdkTaskServer } from "./sdk-task-server.ts";

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

describe("over HTTP with a session, a tool of the SDK 1 that is a task alone", () => {
  it("is called as one, with what its server says, reports and asks on the way", async () => {
    const said: CallTask[] = [];
    const asked: ElicitationRequest[] = [];
    const progress: Progress[] = [];
    const { server, connection } = await openSdk({
      onElicit: async (request) => {
        asked.push(request);
        return { action: "accept", content: {} };
      },
    });
    const context = { principal: "ann" };
    const observer = { onTask: (task: CallTask) => void said.push(task) };
    const calling = connection.callTool("job", {}, { context, observer, onProgress: (each) => progress.push(each) });
    const job = await vi.waitUntil(() => server.jobs[0], 60_000);
    await job.say("half");
    await vi.waitFor(() => expect(said).toContainEqual({ status: "working", message: "half" }), 60_000);
    await expect(job.ask("Sure?")).resolves.toBe("accept");
    await job.end("done");
    await expect(calling).resolves.toMatchObject({ content: [{ text: "done" }] });
    expect(asked).toMatchObject([{ message: "Sure?", context }]);
    expect(server.methods.filter((method) => method === "tools/call")).toHaveLength(1);
  });

  it("is cancelled by the name of its task", async () => {
    const { server, connection } = await openSdk();
    const controller = new AbortController();
    const calling = connection.callTool("job", {}, { signal: controller.signal });
    const job = await vi.waitUntil(() => server.jobs[0], 60_000);
    controller.abort();
    await expect(calling).rejects.toMatchObject({ code: "aborted", outcome: "unknown" });
    await vi.waitFor(async () => expect(await server.stateOf(job.taskId)).toBe("cancelled"), 60_000);
    expect(server.methods).not.toContain("notifications/cancelled");
  });

  it.each([
    { method: "tasks/get", when: "before" },
    { method: "tasks/get", when: "after" },
    { method: "tasks/result", when: "before" },
    { method: "tasks/result", when: "after" },
  ] as const)("goes on when the exchange of $method breaks $when it was taken", async ({ method, when }) => {
    const { server, connection } = await openSdk();
    server.breakNext(method, when);
    const calling = connection.callTool("job", {});
    const job = await vi.waitUntil(() => server.jobs[0], 60_000);
    await job.end("done");
    await expect(calling).resolves.toMatchObject({ content: [{ text: "done" }] });
    expect(server.methods.filter((each) => each === "tools/call")).toHaveLength(1);
  });

  it("ends with an unknown outcome when its server forgets the session, and is not called again", async () => {
    const { server, connection } = await openSdk();
    const calling = connection.callTool("job", {});
    calling.catch(() => undefined);
    await vi.waitUntil(() => server.jobs[0], 60_000);
    server.forget();
    await expect(calling).rejects.toMatchObject({ code: "session_expired", outcome: "unknown", toolName: "job" });
    expect(server.methods.filter((each) => each === "tools/call")).toHaveLength(1);
  });
});

const working = { taskId: "t-1", status: "working", ttl: null, pollInterval: 100 };
const content = [{ type: "text", text: "done" }];

describe("a tool that its server lists as a task alone", () => {
  it("is asked for as often as its server suggests, and for its result when there is one", async () => {
    const { connection, server } = await openScripted({ states: [working, { ...working, status: "completed" }] });
    await expect(connection.callTool("job", { a: 1 }, { meta: { trace: "x" } })).resolves.toEqual({ content });
    expect(server.methods()).toEqual(["tools/call", "tasks/get", "tasks/get", "tasks/result"]);
    const [{ params } = { params: {} }] = server.requests;
    expect(params).toMatchObject({
      name: "job",
      arguments: { a: 1 },
      task: { ttl: expect.any(Number) },
      _meta: { trace: "x" },
    });
  });

  it("is looked at when its server says that there is something new", async () => {
    const slow = { ...working, pollInterval: 60_000 };
    const { connection, server } = await openScripted({ created: slow, states: [{ ...slow, status: "completed" }] });
    const calling = connection.callTool("job", {});
    await vi.waitFor(() => expect(server.methods()).toContain("tools/call"), 60_000);
    await Promise.resolve();
    server.notify("notifications/tasks/status", { ...slow, status: "completed" });
    await expect(calling).resolves.toEqual({ content });
  });

  it("has progress after its task was made, under the token of its call", async () => {
    const slow = { ...working, pollInterval: 60_000 };
    const { connection, server } = await openScripted({ created: slow, states: [{ ...slow, status: "completed" }] });
    const seen: Progress[] = [];
    const calling = connection.callTool("job", {}, { onProgress: (each) => seen.push(each) });
    await vi.waitFor(() => expect(server.methods()).toContain("tools/call"), 60_000);
    const { _meta: meta } = server.requests[0]?.params ?? {};
    const { progressToken = null } = meta as JsonObject;
    await new Promise(setImmediate);
    server.notify("notifications/progress", { progressToken, progress: 1, message: "on it" });
    server.notify("notifications/tasks/status", slow);
    await calling;
    server.notify("notifications/progress", { progressToken, progress: 2 });
    expect(seen).toEqual([{ progress: 1, message: "on it" }]);
  });

  it.each([
    { name: "the server does not take tasks of calls", capabilities: { tools: {}, tasks: { list: {} } } },
    { name: "the host has not said that it waits for tasks", tasks: undefined },
    { name: "the host goes on with tasks by itself", tasks: "hand-back" },
    { name: "the tool can be called without", tool: { taskSupport: "optional" } },
    { name: "the revision has no tasks", protocolVersion: "2025-06-18" },
  ] as const)("is none where $name", async ({ name: _name, ...script }) => {
    const { connection, server } = await openScripted({ states: [], ...script });
    await connection.callTool("job", {});
    expect(server.methods()).toEqual(["tools/call"]);
    expect(server.requests[0]?.params).not.toHaveProperty("task");
  });

  it("takes the answer of a server that makes no task of it", async () => {
    const { connection, server } = await openScripted({ answers: { "tools/call": { result: { content } } } });
    await expect(connection.callTool("job", {})).resolves.toEqual({ content });
    expect(server.methods()).toEqual(["tools/call"]);
  });

  it("is cancelled by its name, which comes after it was given up", async () => {
    const { connection, server } = await openScripted({ answers: { "tools/call": undefined } });
    const controller = new AbortController();
    const calling = connection.callTool("job", {}, { signal: controller.signal });
    await vi.waitFor(() => expect(server.methods()).toContain("tools/call"), 60_000);
    controller.abort();
    await expect(calling).rejects.toMatchObject({ code: "aborted", outcome: "unknown" });
    server.answer("tools/call", { result: { task: working } });
    await vi.waitFor(() => expect(server.methods()).toEqual(["tools/call", "tasks/cancel"]), 60_000);
    expect(server.requests.at(-1)?.params).toMatchObject({ taskId: "t-1" });
  });

  it("is not sent when nobody wants it any more", async () => {
    const { connection, server } = await openScripted({});
    const given = connection.callTool("job", {}, { signal: AbortSignal.abort() });
    await expect(given).rejects.toMatchObject({ code: "aborted", outcome: "not-sent" });
    expect(server.methods()).toEqual([]);
  });

  const refused = (code: number) => ({ error: { code, message: "no" } });
  it.each([
    {
      name: "failed, with the error of the call",
      states: [{ ...working, status: "failed" }],
      answers: { "tasks/result": refused(-32_603) },
      error: { code: "server_error", outcome: "failed", details: { rpcCode: -32_603, operation: "tools/call" } },
    },
    {
      name: "failed, and is not known any more",
      states: [{ ...working, status: "failed" }],
      answers: { "tasks/result": refused(-32_602) },
      error: { code: "server_error", outcome: "unknown" },
    },
    {
      name: "is not known any more",
      answers: { "tasks/get": refused(-32_602) },
      error: { code: "server_error", outcome: "unknown", retryable: false },
    },
    {
      name: "was cancelled",
      states: [{ ...working, status: "cancelled" }],
      error: { code: "server_error", outcome: "unknown" },
    },
    {
      name: "has a status of its own",
      states: [{ ...working, status: "dreaming" }],
      error: { code: "protocol_error" },
    },
    { name: "has no name", created: { ...working, taskId: "" }, error: { code: "protocol_error", outcome: "unknown" } },
    {
      name: "has a result that is none",
      states: [{ ...working, status: "completed" }],
      answers: { "tasks/result": { result: { contents: "x" } } },
      error: { code: "protocol_error", outcome: "unknown" },
    },
    {
      name: "is refused",
      answers: { "tools/call": refused(-32_603) },
      error: { code: "server_error", outcome: "failed" },
    },
  ])("fails when the task $name", async ({ error, name: _name, ...script }) => {
    const { connection } = await openScripted(script);
    await expect(connection.callTool("job", {})).rejects.toMatchObject({ toolName: "job", ...error });
  });

  it("ends with its connection, and is never said to have been not sent", async () => {
    const { connection, server } = await openScripted({ states: [working] });
    const calling = connection.callTool("job", {});
    calling.catch(() => undefined);
    await vi.waitFor(() => expect(server.methods()).toContain("tasks/get"), 60_000);
    await connection.close();
    await expect(calling).rejects.toMatchObject({ code: "closed", outcome: "unknown" });
  });

  it("ends with a server that is gone, and does not wait for its own time", async () => {
    const { connection, server } = await openScripted({ states: [working] });
    const calling = connection.callTool("job", {});
    calling.catch(() => undefined);
    await vi.waitFor(() => expect(server.methods()).toContain("tasks/get"), 60_000);
    server.die();
    await expect(calling).rejects.toMatchObject({ code: "connection_closed", outcome: "unknown" });
    expect(server.methods().filter((method) => method === "tools/call")).toHaveLength(1);
  });

  it("is asked about by the name of its task, whoever else has calls under way", async () => {
    const asked: ElicitationRequest[] = [];
    const { connection, server } = await openScripted({
      states: [working],
      onElicit: async (request) => {
        asked.push(request);
        return { action: "decline" };
      },
    });
    const slow = connection.callTool("other", {}, { context: { principal: "bob" } });
    const calling = connection.callTool("job", {}, { context: { principal: "ann" } });
    slow.catch(() => undefined);
    calling.catch(() => undefined);
    await vi.waitFor(() => expect(server.methods()).toContain("tasks/get"), 60_000);
    const params = { message: "Sure?", requestedSchema: { type: "object" } };
    const _meta = { "io.modelcontextprotocol/related-task": { taskId: "t-1" } };
    server.ask(1, "elicitation/create", { ...params, _meta });
    server.ask(2, "elicitation/create", params);
    await vi.waitFor(() => expect(server.replies).toHaveLength(2), 60_000);
    expect(server.replies).toContainEqual({ id: 1, result: { action: "decline" } });
    expect(asked).toMatchObject([{ context: { principal: "ann" } }]);
    expect(server.replies).toContainEqual({ id: 2, result: { action: "cancel" } });
    await connection.close();
    await expect(Promise.allSettled([slow, calling])).resolves.toHaveLength(2);
  });
});

async function openSdk(options: ConnectOptions = {}) {
  const server = await startSdkTaskServer();
  closers.push(async () => server[Symbol.asyncDispose]());
  const connection = await connect({ id: "jobs", type: "http", url: server.url }, { tasks: "await", ...options });
  closers.push(() => connection.close());
  await connection.listTools();
  return { server, connection };
}

interface Script {
  /** What it says of its task, one after another, and then the last of them. */
  readonly states?: readonly JsonObject[];
  readonly created?: JsonObject;
  /** In place of what it would answer; `undefined`: nothing. */
  readonly answers?: Readonly<Record<string, JsonObject | undefined>>;
  readonly capabilities?: JsonObject;
  readonly protocolVersion?: string;
  readonly tool?: JsonObject;
}

async function openScripted(options: Script & Pick<ConnectOptions, "tasks" | "onElicit"> = {}) {
  const { tasks, onElicit, ...script } = { tasks: "await" as const, ...options };
  const server = createScripted(script);
  const spec: ServerSpec = { id: "jobs", type: "custom", open: () => server.transport, era: "legacy" };
  const connection = await connect(spec, { tasks, ...(onElicit && { onElicit }) });
  closers.push(() => connection.close());
  await connection.listTools();
  server.requests.length = 0;
  return { connection, server };
}

function createScripted({ states = [working], created = working, answers = {}, ...script }: Script) {
  const { protocolVersion = "2025-11-25", tool = { taskSupport: "required" } } = script;
  const { capabilities = { tools: {}, tasks: { requests: { tools: { call: {} } } } } } = script;
  const requests: { id: number; method: string; params: JsonObject }[] = [];
  const replies: JsonObject[] = [];
  let polls = 0;
  const inputSchema = { type: "object" };
  const usual = (method: string, params: JsonObject): JsonObject | undefined => {
    switch (method) {
      case "initialize":
        return { result: { protocolVersion, capabilities, serverInfo: { name: "jobs", version: "1" } } };
      case "tools/list":
        return {
          result: {
            tools: [
              { name: "job", inputSchema, execution: tool },
              { name: "other", inputSchema },
            ],
          },
        };
      case "tools/call":
        if (params["name"] === "other") return undefined;
        return { result: "task" in params ? { task: created } : { content } };
      case "tasks/get":
        polls += 1;
        return { result: states[Math.min(polls, states.length) - 1] ?? {} };
      case "tasks/result":
        return { result: { content } };
      default:
        return { result: {} };
    }
  };
  const transport = {
    onmessage: (_message: object): void => undefined,
    onclose: (): void => undefined,
    start: async () => undefined,
    close: async () => undefined,
    async send(message: { id?: number; method?: string; params?: JsonObject }) {
      const { id, method, params = {} } = message;
      if (id === undefined) return;
      if (method === undefined) {
        const { jsonrpc: _version, ...reply } = message as JsonObject;
        return void replies.push(reply);
      }
      requests.push({ id, method, params });
      const reply = Object.hasOwn(answers, method) ? answers[method] : usual(method, params);
      if (reply !== undefined) queueMicrotask(() => transport.onmessage({ jsonrpc: "2.0", id, ...reply }));
    },
  };
  return {
    transport,
    requests,
    replies,
    methods: () => requests.map(({ method }) => method),
    notify: (method: string, params: JsonObject) => transport.onmessage({ jsonrpc: "2.0", method, params }),
    ask: (id: number, method: string, params: JsonObject) =>
      transport.onmessage({ jsonrpc: "2.0", id, method, params }),
    die: () => transport.onclose(),
    answer(method: string, reply: JsonObject) {
      const id = requests.find((request) => request.method === method)?.id ?? 0;
      transport.onmessage({ jsonrpc: "2.0", id, ...reply });
    },
  };
}
