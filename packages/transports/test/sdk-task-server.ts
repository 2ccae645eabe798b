import {
  InMemoryTaskMessageQueue,
  InMemoryTaskStore,
  type CreateTaskRequestHandlerExtra,
} from "@modelcontextprotocol/sdk/experimental/tasks";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { ElicitResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { randomUUID } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One run of the tool `job`, as a test says. */
export interface SdkJob {
  readonly taskId: string;
  readonly say: (message: string) => Promise<void>;
  readonly progress: (message: string) => Promise<void>;
  readonly ask: (message: string) => Promise<string>;
  readonly end: (text: string) => Promise<void>;
}

/**
 * A server on version 1 of the SDK: `job` can be called as a task alone, `either` as one or not.
 * Over HTTP, with sessions.
 */
export interface SdkTaskServer extends AsyncDisposable {
  readonly url: string;
  readonly jobs: readonly SdkJob[];
  /** What came in, in order; of each request its method. */
  readonly methods: readonly string[];
  /**
   * Breaks the exchange of the next request of this method, `before` it reaches the server, or
   * `after` it was taken.
   */
  breakNext(method: string, when: "before" | "after"): void;
  /** Forgets all sessions. */
  forget(): void;
  /** The state of a task, as the server has it. */
  stateOf(taskId: string): Promise<string | undefined>;
}

interface State {
  readonly store: InMemoryTaskStore;
  readonly jobs: SdkJob[];
  readonly methods: string[];
  readonly faults: Map<string, "before" | "after">;
  readonly sessions: Map<string, StreamableHTTPServerTransport>;
}

/** Starts it. */
export async function startSdkTaskServer(): Promise<SdkTaskServer> {
  const state: State = {
    store: new InMemoryTaskStore(),
    jobs: [],
    methods: [],
    faults: new Map(),
    sessions: new Map(),
  };
  const server = createServer((request, response) => {
    const id = request.headers["mcp-session-id"];
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => void chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString();
      const body = text === "" ? undefined : (JSON.parse(text) as { readonly method?: string });
      const method = body?.method;
      if (method !== undefined) state.methods.push(method);
      const fault = method === undefined ? undefined : state.faults.get(method);
      if (method !== undefined) state.faults.delete(method);
      if (fault === "before") return void request.socket.destroy();
      if (fault === "after") setImmediate(() => request.socket.destroy());
      void transportOf(state, id, response).then((transport) => transport?.handleRequest(request, response, body));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    jobs: state.jobs,
    methods: state.methods,
    breakNext: (method, when) => void state.faults.set(method, when),
    forget: () => state.sessions.clear(),
    stateOf: async (taskId) => (await state.store.getTask(taskId))?.status,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        state.store.cleanup();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function transportOf(
  state: State,
  id: string | string[] | undefined,
  response: ServerResponse,
): Promise<StreamableHTTPServerTransport | undefined> {
  const { sessions } = state;
  if (typeof id === "string") {
    const known = sessions.get(id);
    if (known === undefined) response.writeHead(404).end();
    return known;
  }
  const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (session) => void sessions.set(session, transport),
  });
  await createTaskServer(state).connect(transport);
  return transport;
}

function createTaskServer({ store, jobs }: State): McpServer {
  const capabilities = { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } };
  const taskMessageQueue = new InMemoryTaskMessageQueue();
  const server = new McpServer(
    { name: "jobs", version: "1.0.0" },
    { capabilities, taskStore: store, taskMessageQueue },
  );
  for (const [name, taskSupport] of [
    ["job", "required"],
    ["either", "optional"],
  ] as const) {
    server.experimental.tasks.registerToolTask(name, { execution: { taskSupport } }, {
      async createTask({ taskStore, _meta, sendNotification, sendRequest }: CreateTaskRequestHandlerExtra) {
        const task = await taskStore.createTask({ ttl: 60_000, pollInterval: 100 });
        const { taskId } = task;
        const progressToken = _meta?.progressToken;
        jobs.push({
          taskId,
          say: (message) => taskStore.updateTaskStatus(taskId, "working", message),
          async progress(message) {
            if (progressToken === undefined) return;
            await sendNotification({
              method: "notifications/progress",
              params: { progressToken, progress: 1, message },
            });
          },
          async ask(message) {
            await taskStore.updateTaskStatus(taskId, "input_required");
            const params = { message, requestedSchema: { type: "object" as const, properties: {} } };
            const request = { method: "elicitation/create" as const, params };
            const { action } = await sendRequest(request, ElicitResultSchema, { relatedTask: { taskId } } as never);
            await taskStore.updateTaskStatus(taskId, "working");
            return action;
          },
          end: (text) => taskStore.storeTaskResult(taskId, "completed", { content: [{ type: "text", text }] }),
        });
        return { task };
      },
      getTask: (_args: unknown, { taskId, taskStore }: never) => read(taskStore, taskId, "getTask"),
      getTaskResult: (_args: unknown, { taskId, taskStore }: never) => read(taskStore, taskId, "getTaskResult"),
    } as never);
  }
  return server;
}

function read(store: InMemoryTaskStore, taskId: string, what: "getTask" | "getTaskResult"): Promise<unknown> {
  return store[what](taskId);
}
