import {
  HostsideError,
  type Admission,
  type CallRecord,
  type Connection,
  type Connector,
  type JsonObject,
  type RemoteTool,
  type RequestInterceptor,
  type RequestSeam,
  type Subscription,
} from "@hostside/core";
import { createProvider, type McpProvider, type ProviderOptions } from "@hostside/provider";
import { describe, expect, it } from "vitest";
import { failureOf } from "./calm-world.ts";

interface Step<T> {
  readonly done: Promise<T>;
  readonly finish: (value: T) => void;
  readonly fail: (error: unknown) => void;
}

function step<T>(): Step<T> {
  let settle!: Omit<Step<T>, "done">;
  const done = new Promise<T>((finish, fail) => (settle = { finish, fail }));
  return { done, ...settle };
}

interface Subject {
  readonly provider: McpProvider;
  /** What reached the server: the method, and the tool or the URI. */
  readonly sent: string[];
  /** The calls and requests that the server has not answered yet. */
  readonly open: Step<JsonObject>[];
  /** The resources that are subscribed to. */
  readonly subscribed: string[];
  tools: RemoteTool[];
  /** What the next subscriptions wait for. */
  gate: Promise<void> | undefined;
}

const tool: RemoteTool = { name: "t", inputSchema: { type: "object" } };
const spec = { id: "s", type: "http", url: "https://s.example/mcp" } as const;

async function start(options: Partial<ProviderOptions> = {}): Promise<Subject> {
  const subject: Omit<Subject, "provider"> = { sent: [], open: [], subscribed: [], tools: [tool], gate: undefined };
  const answerTo = (what: string): Promise<JsonObject> => {
    const answer = step<JsonObject>();
    subject.sent.push(what);
    subject.open.push(answer);
    return answer.done;
  };
  const connection = (): Connection => ({
    server: { era: "legacy", protocolVersion: "2025-11-25", capabilities: { resources: { subscribe: true } } },
    listTools: async () => ({ tools: subject.tools, dropped: [], pages: 1 }),
    callTool: (name) => answerTo(`tools/call ${name}`),
    request: (method) => answerTo(method),
    notify: async (method) => void subject.sent.push(method),
    async subscribeResource(uri): Promise<Subscription> {
      await subject.gate;
      subject.subscribed.push(uri);
      const end = (): void => void subject.subscribed.splice(subject.subscribed.indexOf(uri), 1);
      return Object.assign(end, { [Symbol.dispose]: end });
    },
    close: async () => {},
  });
  const connector: Connector = { connect: async () => connection() };
  const provider = createProvider({ connector, servers: [spec], ...options });
  await provider.init();
  return Object.assign(subject, { provider });
}

const expired = (): HostsideError =>
  new HostsideError("the server knows the session no more", { code: "session_expired", outcome: "failed" });
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("a call on a connection", () => {
  it("is refused when its tool was held back or taken away while the seam looked at it", async () => {
    let admission: Admission = "offer";
    let asked = step<void>();
    const ask: RequestSeam = async ({ call }, send) => (call && (await asked.done), send());
    const subject = await start({ requestSeam: ask, admit: () => admission });
    const { provider, sent } = subject;
    const connection = await provider.connection("s");
    const send = (): Promise<unknown> => failureOf(connection.callTool("t", {}));

    const held = send();
    admission = "quarantine";
    provider.readmit();
    asked.finish();
    expect(await held).toMatchObject({ code: "tool_quarantined", outcome: "not-sent" });

    admission = "offer";
    provider.readmit();
    asked = step();
    const removed = send();
    subject.tools = [];
    await provider.refresh();
    asked.finish();
    expect(await removed).toMatchObject({ code: "tool_removed", outcome: "not-sent" });
    expect(sent).toEqual([]);
    await provider.close();
  });
});

describe("a call on a connection, with a rule for what is on offer", () => {
  it("waits for its turn, is on record, and is sent once more after a session that was forgotten", async () => {
    const { provider, sent, open } = await start({
      admit: () => "offer",
      servers: [{ ...spec, concurrency: "serial" }],
    });
    const records: CallRecord[] = [];
    provider.onCallEnded((record) => records.push(record));
    const connection = await provider.connection("s");
    const first = provider.call("mcp_s_t");
    const second = connection.callTool("t", {}, { context: { principal: "ada" } });
    await turn();
    expect(sent).toEqual(["tools/call t"]);
    open[0]?.finish({ content: [] });
    await first;
    await turn();
    expect(sent).toEqual(["tools/call t", "tools/call t"]);
    open[1]?.fail(expired());
    await turn();
    open[2]?.finish({ content: [], isError: true });
    expect(await second).toEqual({ content: [], isError: true });
    expect(sent).toEqual(["tools/call t", "tools/call t", "tools/call t"]);
    expect(records[1]).toMatchObject({ result: "tool-error", sends: 2, context: { principal: "ada" } });
    await provider.close();
  });
});

describe("a call that is sent once more", () => {
  it("is refused when its tool was held back, or is another one, on the session that another call has opened", async () => {
    for (const change of ["quarantine", "other"] as const) {
      let admission: Admission = "offer";
      const subject = await start({ admit: () => admission });
      const { provider, open, sent } = subject;
      const [selected] = provider.tools();
      const first = provider.call("mcp_s_t", {}, { selected });
      const second = failureOf(provider.call("mcp_s_t", {}, { selected }));
      open[0]?.fail(expired());
      await turn();
      open[2]?.finish({ content: [] });
      await first;
      if (change === "quarantine") {
        admission = "quarantine";
        provider.readmit();
      } else {
        subject.tools = [{ ...tool, description: "Now it deletes." }];
        await provider.refresh();
      }
      open[1]?.fail(expired());
      const code = change === "quarantine" ? "tool_quarantined" : "tool_changed";
      expect(await second).toMatchObject({ code, outcome: "not-sent" });
      expect(sent).toHaveLength(3);
      await provider.close();
    }
  });
});

describe("a subscription that goes through layers", () => {
  const subscribe = async (layer: RequestInterceptor, timeoutMs?: number) => {
    const subject = await start({ requestInterceptors: [layer] });
    const connection = await subject.provider.connection("s");
    return { ...subject, made: connection.subscribeResource("note://a", { timeoutMs }) };
  };

  it("ends when a layer refuses it after all, or sends it twice", async () => {
    const refusing = await subscribe(async (request, next) => {
      await next(request);
      throw new HostsideError("not on record", { code: "call_refused" });
    });
    expect(await failureOf(refusing.made)).toMatchObject({ code: "call_refused" });
    expect(refusing.subscribed).toEqual([]);
    await refusing.provider.close();

    const twice = await subscribe(async (request, next) => (await next(request), next(request)));
    const subscription = await twice.made;
    expect(twice.subscribed).toEqual(["note://a"]);
    subscription();
    expect(twice.subscribed).toEqual([]);
    await twice.provider.close();
  });

  it("ends when it comes after its request is over", async () => {
    const abort = new AbortController();
    const gate = step<void>();
    const subject = await start({ requestInterceptors: [(request, next) => next(request)] });
    subject.gate = gate.done;
    const connection = await subject.provider.connection("s");
    const made = failureOf(connection.subscribeResource("note://a", { signal: abort.signal }));
    await turn();
    abort.abort();
    await subject.provider.close();
    expect(await made).toMatchObject({ code: "closed" });
    gate.finish();
    await turn();
    expect(subject.subscribed).toEqual([]);
  });
});

describe("a connection of a server that is gone", () => {
  it("takes nothing new while its calls finish, with layers and without", async () => {
    for (const requestInterceptors of [[], [((request, next) => next(request)) satisfies RequestInterceptor]]) {
      const { provider, sent, open } = await start({ requestInterceptors });
      const connection = await provider.connection("s");
      const call = provider.call("mcp_s_t");
      const gone = provider.removeServer("s", { drainMs: 1000, reason: "not needed" });
      expect(await failureOf(connection.request("resources/read", {}))).toMatchObject({
        code: "server_removed",
        outcome: "not-sent",
      });
      expect(await failureOf(connection.subscribeResource("note://a"))).toMatchObject({ code: "server_removed" });
      open[0]?.finish({ content: [] });
      expect(await call).toMatchObject({ isError: false });
      expect([await gone, sent]).toEqual([true, ["tools/call t"]]);
      await provider.close();
    }
  });

  it("says why it went to a call that the seam still has, and to one that comes later", async () => {
    const asked = step<void>();
    const { provider, sent } = await start({
      requestSeam: async ({ call }, send) => (call && (await asked.done), send()),
    });
    const connection = await provider.connection("s");
    const call = failureOf(provider.call("mcp_s_t"));
    await provider.removeServer("s", { reason: "its trial is over" });
    asked.finish();
    const message = expect.stringContaining("its trial is over");
    const matching = { code: "server_removed", toolName: "t", outcome: "not-sent", message };
    expect(await call).toMatchObject(matching);
    expect(await failureOf(connection.callTool("t", {}))).toMatchObject(matching);
    expect(sent).toEqual([]);
    await provider.close();
  });

  it("asks no layer any more once the provider is closed", async () => {
    let asked = 0;
    const count: RequestInterceptor = (request, next) => ((asked += 1), next(request));
    const { provider } = await start({ requestInterceptors: [count] });
    const connection = await provider.connection("s");
    await provider.close();
    expect(await failureOf(connection.request("resources/read", {}))).toMatchObject({ code: "closed" });
    expect(await failureOf(connection.notify("notifications/mine"))).toMatchObject({ code: "closed" });
    expect(await failureOf(connection.subscribeResource("note://a"))).toMatchObject({ code: "closed" });
    expect(asked).toBe(0);
  });
});
