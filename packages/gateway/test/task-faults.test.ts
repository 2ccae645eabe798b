import type { JsonObject } from "@hostside/core";
import type { HttpHandler } from "@hostside/gateway";
import { describe, expect, it } from "vitest";
import { createManualClock } from "../../../test/manual-clock.ts";
import { gatewayLimits } from "../src/gateway-limits.ts";
import type { ActiveRequest } from "../src/peer/active-request.ts";
import { createKeptTasks } from "../src/tasks/kept-tasks.ts";
import { isMethod } from "./raw-client.ts";
import { connectTasks, openTaskWorld } from "./task-world.ts";

const url = "http://127.0.0.1:7777/mcp";

/** A session over HTTP, each message of which is a request of its own. */
interface HttpSession {
  post(message: JsonObject, signal?: AbortSignal): Promise<Response>;
  ask(method: string, params: JsonObject): Promise<JsonObject>;
  listen(): Promise<Response>;
}

const tokens = { ann: "0123456789abcdef0123", bob: "3210fedcba9876543210" };

async function openSession(handler: HttpHandler, token = tokens.ann): Promise<HttpSession> {
  const headers: Record<string, string> = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  let last = 0;
  const post: HttpSession["post"] = (message, signal) =>
    handler.fetch(
      new Request(url, { method: "POST", headers, body: JSON.stringify(message), ...(signal && { signal }) }),
    );
  const ask: HttpSession["ask"] = async (method, params) => {
    const response = await post({ jsonrpc: "2.0", id: (last += 1), method, params });
    headers["mcp-session-id"] ??= response.headers.get("mcp-session-id") ?? "";
    return (await response.json()) as JsonObject;
  };
  const capabilities = { elicitation: { form: {} } };
  const clientInfo = { name: "raw", version: "1" };
  await ask("initialize", { protocolVersion: "2025-11-25", capabilities, clientInfo });
  const listen = (): Promise<Response> =>
    handler.fetch(new Request(url, { headers: { ...headers, accept: "text/event-stream" } }));
  return { post, ask, listen };
}

async function startOver(session: HttpSession, name = "job"): Promise<string> {
  const { result, error } = await session.ask("tools/call", { name, task: {} });
  if (error !== undefined) throw new Error(JSON.stringify(error));
  return (result as { readonly task: { readonly taskId: string } }).task.taskId;
}

/** What comes over a stream, until a text is in it. */
async function readUntil(response: Response, text: string): Promise<string> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  for (let all = ""; ;) {
    const part = await reader?.read();
    if (part === undefined || part.done) return all;
    all += decoder.decode(part.value as Uint8Array, { stream: true });
    if (all.includes(text)) return all;
  }
}

describe("a client of 2025-11-25 over HTTP that waits for a task", () => {
  const waitFor = (session: HttpSession, taskId: string, signal: AbortSignal) =>
    session.post({ jsonrpc: "2.0", id: "waits", method: "tasks/result", params: { taskId } }, signal);

  it("takes no place once it is gone, and may come again as often as it likes", async () => {
    const { gateway, close } = openTaskWorld({ limits: { maxRequestsPerSession: 2 } });
    const session = await openSession(gateway.http({ auth: { token: tokens.ann } }));
    const taskId = await startOver(session);
    for (let time = 1; time <= 3; time += 1) {
      const leaving = new AbortController();
      void waitFor(session, taskId, leaving.signal).catch(() => undefined);
      await expect.poll(() => gateway.stats().busy).toBe(2);
      leaving.abort();
      await expect.poll(() => gateway.stats().busy).toBe(1);
    }
    expect(await session.ask("tasks/get", { taskId })).toMatchObject({ result: { status: "working" } });
    await close();
  });

  it("is not asked over the stream of one that is gone: the question waits for the next", async () => {
    const { gateway, jobs, close } = openTaskWorld();
    const session = await openSession(gateway.http({ auth: { token: tokens.ann } }));
    const taskId = await startOver(session);
    const leaving = new AbortController();
    void waitFor(session, taskId, leaving.signal).catch(() => undefined);
    await expect.poll(() => gateway.stats().busy).toBe(2);
    leaving.abort();
    const answered = jobs[0]?.ask("Which?");
    expect(await session.ask("tasks/get", { taskId })).toMatchObject({ result: { status: "input_required" } });
    const stream = await waitFor(session, taskId, new AbortController().signal);
    const id = /"id":"(question-\d+)"/.exec(await readUntil(stream, "Which?"))?.[1] ?? "";
    await session.post({ jsonrpc: "2.0", id, result: { action: "decline" } });
    expect(await answered).toBe("decline null");
    await close();
  });

  it("is asked over the stream that it listens on, also when it listens after the question", async () => {
    const { gateway, jobs, close } = openTaskWorld();
    const session = await openSession(gateway.http({ auth: { token: tokens.ann } }));
    const taskId = await startOver(session);
    const answered = jobs[0]?.ask("Which?");
    expect(await session.ask("tasks/get", { taskId })).toMatchObject({ result: { status: "input_required" } });
    const id = /"id":"(question-\d+)"/.exec(await readUntil(await session.listen(), "Which?"))?.[1] ?? "";
    await session.post({ jsonrpc: "2.0", id, result: { action: "decline" } });
    expect(await answered).toBe("decline null");
    await close();
  });
});

it("a task that has ended says nothing more of its progress", async () => {
  const { gateway, jobs, close } = openTaskWorld();
  await using client = await connectTasks(gateway, "legacy");
  const params = { name: "call", task: {}, _meta: { progressToken: "p" } };
  const { task } = await client.ask("tools/call", params);
  const { taskId = "" } = task as JsonObject;
  jobs[0]?.step("first");
  await client.ask("tasks/cancel", { taskId });
  jobs[0]?.step("late");
  expect(await client.ask("tasks/get", { taskId })).toMatchObject({ status: "cancelled", statusMessage: "first" });
  expect(client.received.filter(isMethod("notifications/progress"))).toHaveLength(1);
  await close();
});

it("a task of a call that was parked is not given up with what was left unanswered", async () => {
  const { gateway, clock, jobs, close } = openTaskWorld();
  await using client = await connectTasks(gateway, "modern");
  const calling = client.ask("tools/call", { name: "call" });
  await expect.poll(() => jobs.length).toBe(1);
  const answered = jobs[0]?.ask("Name?");
  const { requestState = "" } = await calling;
  jobs[0]?.say("working");
  await client.ask("server/discover");
  const created = await client.ask("tools/call", { name: "call", requestState, inputResponses: {} });
  expect(created).toMatchObject({ resultType: "task" });
  expect(gateway.stats()).toMatchObject({ parked: 0, tasks: 1 });
  expect(await answered).toBe("cancel null");
  clock.advance(gateway.limits.parkedMs);
  expect(jobs[0]?.signal.aborted).toBe(false);
  await close();
});

describe("memory of tasks", () => {
  it("has no arguments of calls that have ended in it", () => {
    const clock = createManualClock();
    const lot = { used: 0, bytes: 0 };
    const settings = { limits: gatewayLimits, clock };
    const nothing = (): void => undefined;
    const init = { settings, lot, usedByOwner: () => 0, bytesByOwner: () => 0, stream: () => undefined };
    const tasks = createKeptTasks({ ...init, onChanged: nothing, onIdle: nothing, onWay: nothing });
    const request: ActiveRequest = {
      uid: "request-1",
      number: 1,
      id: 1,
      method: "tools/call",
      params: { name: "job", arguments: { text: "a long text" } },
      stop: new AbortController(),
      sink: { send: () => false },
      progressToken: undefined,
      logLevel: undefined,
      capabilities: {},
      toolName: undefined,
      serverId: undefined,
    };
    const task = tasks.create(request);
    expect(task).toBeDefined();
    if (task !== undefined) tasks.finish(task, { kind: "completed", result: { content: [] } });
    expect(JSON.stringify(tasks.list())).not.toContain("a long text");
    tasks.close();
    expect(lot).toEqual({ used: 0, bytes: 0 });
  });

  it("has an end for the results of all clients together", async () => {
    const { gateway, jobs, close } = openTaskWorld({ limits: { maxTaskBytes: 1000 } });
    const clients = [await connectTasks(gateway, "legacy"), await connectTasks(gateway, "legacy")] as const;
    for (const [index, client] of clients.entries()) {
      const { taskId = "" } = await client.start();
      jobs[index]?.end("x".repeat(600));
      const status = index === 0 ? "completed" : "failed";
      await expect.poll(() => client.ask("tasks/get", { taskId })).toMatchObject({ status });
    }
    await clients[0][Symbol.asyncDispose]();
    const { taskId = "" } = await clients[1].start();
    jobs[2]?.end("x".repeat(600));
    await expect.poll(() => clients[1].ask("tasks/get", { taskId })).toMatchObject({ status: "completed" });
    await clients[1][Symbol.asyncDispose]();
    await close();
  });

  it("of results is not for one of several tokens alone", async () => {
    const { gateway, jobs, close } = openTaskWorld({ limits: { maxTaskBytesPerPrincipal: 1000 } });
    const handler = gateway.http({ auth: { verifyToken: (principal) => ({ principal }) } });
    const sessions = [await openSession(handler), await openSession(handler), await openSession(handler, tokens.bob)];
    const ids: string[] = [];
    for (const session of sessions) ids.push(await startOver(session));
    for (const job of jobs) job.end("x".repeat(600));
    await expect.poll(() => gateway.stats().busy).toBe(0);
    const states = await Promise.all(
      sessions.map((session, at) => session.ask("tasks/get", { taskId: ids[at] ?? "" })),
    );
    expect(states).toMatchObject(["completed", "failed", "completed"].map((status) => ({ result: { status } })));
    await close();
  });

  it("is not for one of several tokens alone", async () => {
    const { gateway, close } = openTaskWorld({ limits: { maxTasksPerPrincipal: 2 } });
    const handler = gateway.http({ auth: { verifyToken: (principal) => ({ principal }) } });
    const [first, second] = [await openSession(handler), await openSession(handler)];
    await startOver(first);
    await startOver(second);
    await expect(startOver(first)).rejects.toThrow("overloaded");
    await startOver(await openSession(handler, tokens.bob));
    expect(gateway.stats()).toMatchObject({ tasks: 3 });
    await close();
  });
});
