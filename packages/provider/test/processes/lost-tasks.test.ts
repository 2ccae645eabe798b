import type { ElicitationResult, JsonObject } from "@hostside/core";
import { createProvider, type McpProvider } from "@hostside/provider";
import { createConnector } from "@hostside/transports";
import { afterEach, expect, it, vi } from "vitest";

let provider: McpProvider | undefined;
afterEach(() => provider?.close());

const working = {
  taskId: "t-1",
  status: "working",
  createdAt: "2026-07-28T12:00:00Z",
  ttlMs: null,
  pollIntervalMs: 100,
};
const done = { ...working, status: "completed", result: { content: [{ type: "text", text: "done" }] } };

it("goes on with a task over the next session when one is lost, and calls once", async () => {
  const server = createTaskServer();
  const { calling } = await call(server);
  server.die();
  server.state = done;
  await expect(calling).resolves.toMatchObject({ content: [{ text: "done" }] });
  expect(server.count("tools/call")).toBe(1);
  expect(server.sessions).toBe(2);
});

it("hands an answer over once more that may not have arrived, and asks nobody again", async () => {
  const server = createTaskServer();
  const onElicit = vi.fn<OnElicit>(async () => {
    server.isSilent = true;
    return { action: "accept", content: { yes: true } };
  });
  const { calling } = await call(server, onElicit);
  const question = { method: "elicitation/create", params: { message: "Sure?", requestedSchema: {} } };
  server.state = { ...working, status: "input_required", inputRequests: { sure: question } };
  await vi.waitFor(() => expect(server.count("tasks/update")).toBe(1), 60_000);
  server.isSilent = false;
  server.die();
  await vi.waitFor(() => expect(server.count("tasks/update")).toBe(2), 60_000);
  server.state = done;
  await expect(calling).resolves.toMatchObject({ content: [{ text: "done" }] });
  expect([onElicit.mock.calls.length, server.count("tools/call")]).toEqual([1, 1]);
});

it.each([
  {
    name: "the server does not know the task any more",
    change: (server: TaskServer) => void (server.state = undefined),
  },
  { name: "there is no session any more", change: (server: TaskServer) => void (server.isGone = true) },
])("fails as it was lost, with an unknown outcome, when $name", async ({ change }) => {
  const server = createTaskServer();
  const { calling } = await call(server);
  change(server);
  server.die();
  await expect(calling).rejects.toMatchObject({ code: "connection_closed", outcome: "unknown", retryable: false });
  expect(server.count("tools/call")).toBe(1);
});

it("is given up by its caller while there is no session", async () => {
  const server = createTaskServer();
  const controller = new AbortController();
  const { calling } = await call(server, undefined, controller.signal);
  server.isSilent = true;
  server.die();
  await vi.waitFor(() => expect(server.sessions).toBe(2), 60_000);
  controller.abort();
  await expect(calling).rejects.toMatchObject({ code: "aborted", outcome: "unknown" });
  expect(server.count("tools/call")).toBe(1);
});

it("neither takes, answers nor cancels what has the name of its task after a restart, and is another one", async () => {
  const server = createTaskServer();
  const { calling } = await call(server);
  server.state = { ...done, createdAt: "2026-07-28T13:00:00Z" };
  server.die();
  await expect(calling).rejects.toMatchObject({ code: "protocol_error", outcome: "unknown", retryable: false });
  expect([server.count("tools/call"), server.count("tasks/cancel")]).toEqual([1, 0]);
});

it("keeps an answer that may not have arrived from another task of the same name", async () => {
  const server = createTaskServer();
  const onElicit = vi.fn<OnElicit>(async () => {
    server.isSilent = true;
    return { action: "accept", content: { yes: true } };
  });
  const { calling } = await call(server, onElicit);
  const question = { method: "elicitation/create", params: { message: "Sure?", requestedSchema: {} } };
  server.state = { ...working, status: "input_required", inputRequests: { sure: question } };
  await vi.waitFor(() => expect(server.count("tasks/update")).toBe(1), 60_000);
  server.state = { ...server.state, createdAt: "2026-07-28T13:00:00Z" };
  server.isSilent = false;
  server.die();
  await expect(calling).rejects.toMatchObject({ code: "protocol_error", outcome: "unknown" });
  expect([server.count("tasks/update"), server.count("tasks/cancel"), onElicit.mock.calls.length]).toEqual([1, 0, 1]);
});

it("does not take the state of another task for that of its own", async () => {
  const server = createTaskServer();
  const { calling } = await call(server);
  server.state = { ...done, taskId: "t-2" };
  await expect(calling).rejects.toMatchObject({ code: "protocol_error", outcome: "unknown" });
});

type OnElicit = () => Promise<ElicitationResult>;

async function call(server: TaskServer, onElicit?: OnElicit, signal?: AbortSignal) {
  provider = createProvider({
    connector: createConnector({ tasks: true }),
    servers: [{ id: "jobs", type: "custom", open: server.open, era: "2026-07-28" }],
    ...(onElicit !== undefined && { onElicit }),
  });
  await provider.init();
  const calling = provider.call("mcp_jobs_job", {}, { ...(signal && { signal }) });
  calling.catch(() => undefined);
  await vi.waitFor(() => expect(server.count("tasks/get")).toBeGreaterThan(0), 60_000);
  return { calling };
}

interface TaskServer {
  /** What it says of its one task; `undefined`: it knows of none. */
  state: JsonObject | undefined;
  /** Takes no connection. */
  isGone: boolean;
  /** Answers nothing. */
  isSilent: boolean;
  readonly sessions: number;
  readonly open: () => object;
  /** Ends the session. */
  die(): void;
  count(method: string): number;
}

function createTaskServer(): TaskServer {
  const methods: string[] = [];
  let sessions = 0;
  let die = (): void => undefined;
  const answer = (method: string): JsonObject => {
    switch (method) {
      case "server/discover":
        return { supportedVersions: ["2026-07-28"], capabilities: { tools: {} }, ttlMs: 0, cacheScope: "public" };
      case "tools/list":
        return { tools: [{ name: "job", inputSchema: { type: "object" } }], ttlMs: 0, cacheScope: "public" };
      case "tools/call":
        return { ...working, resultType: "task" };
      case "tasks/get":
        return { resultType: "complete", ...server.state };
      default:
        return { resultType: "complete" };
    }
  };
  const open = (): object => {
    if (server.isGone) throw new Error("gone");
    sessions += 1;
    let isDead = false;
    const transport = {
      onmessage: (_message: object): void => undefined,
      onclose: (): void => undefined,
      start: async () => undefined,
      close: async () => undefined,
      async send({ id, method }: { id?: number; method: string }) {
        if (id === undefined || isDead) return;
        methods.push(method);
        if (server.isSilent) return;
        const isUnknown = method === "tasks/get" && server.state === undefined;
        const reply = isUnknown ? { error: { code: -32_602, message: "Task not found" } } : { result: answer(method) };
        queueMicrotask(() => transport.onmessage({ jsonrpc: "2.0", id, ...reply }));
      },
    };
    die = () => {
      isDead = true;
      transport.onclose();
    };
    return transport;
  };
  const server: TaskServer = {
    state: working,
    isGone: false,
    isSilent: false,
    get sessions() {
      return sessions;
    },
    open,
    die: () => die(),
    count: (method) => methods.filter((each) => each === method).length,
  };
  return server;
}
