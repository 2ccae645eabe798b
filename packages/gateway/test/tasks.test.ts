import type { JsonObject, JsonValue } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { connectRaw, connectSession, envelope, isMethod } from "./raw-client.ts";
import { textOf } from "./static-world.ts";
import { connectTasks, openTaskWorld, type eras, type TaskClient } from "./task-world.ts";

const unknown = { code: -32_602, message: expect.stringContaining("There is no such task") };

const related = (taskId: JsonValue): JsonObject => ({ "io.modelcontextprotocol/related-task": { taskId } });
const text = (said: string): JsonObject => ({ content: [{ type: "text", text: said }] });

/** What the eras have each in their own way. */
interface InEra {
  readonly era: (typeof eras)[number];
  readonly created: JsonObject;
  readonly changes: string;
  /** The result of one that has ended. */
  result(client: TaskClient, taskId: JsonValue): Promise<unknown>;
  /** What comes of waiting for its end. */
  end(client: TaskClient, taskId: JsonValue): Promise<unknown>;
  /** Answers the one question that is open, of this task. */
  answer(client: TaskClient, taskId: JsonValue): Promise<void>;
  listen(client: TaskClient, taskId: JsonValue): Promise<void>;
  /** What answers one cancel too many. */
  readonly cancelledTwice: JsonObject;
}

const accepted = { action: "accept", content: { a: 1 } };

const inEras: readonly InEra[] = [
  {
    era: "legacy",
    created: { ttl: 1000, pollInterval: 1000 },
    changes: "notifications/tasks/status",
    async result(client, taskId) {
      const { _meta, ...result } = await client.ask("tasks/result", { taskId });
      expect(_meta).toEqual(related(taskId));
      return result;
    },
    end: (client, taskId) => client.ask("tasks/result", { taskId }).catch((error: unknown) => error),
    async answer(client, taskId) {
      const { id = null, params } = await client.next(isMethod("elicitation/create"));
      expect(params).toMatchObject({ message: "[shop] Which?", _meta: related(taskId) });
      client.send({ jsonrpc: "2.0", id, result: accepted });
    },
    listen: async () => undefined,
    cancelledTwice: { code: -32_602 },
  },
  {
    era: "modern",
    created: { ttlMs: 1000, pollIntervalMs: 1000, resultType: "task" },
    changes: "notifications/tasks",
    result: async (client, taskId) => (await client.ask("tasks/get", { taskId }))["result"],
    end: (client, taskId) => client.ask("tasks/get", { taskId }).catch((error: unknown) => error),
    async answer(client, taskId) {
      const { inputRequests } = await client.ask("tasks/get", { taskId });
      const asked = { method: "elicitation/create", params: { message: "[shop] Which?" } };
      expect(inputRequests).toMatchObject({ "question-1": asked });
      const inputResponses = { "question-1": accepted, other: 1 };
      const { _meta: _of, ...answer } = await client.ask("tasks/update", { taskId, inputResponses });
      expect(answer).toEqual({ resultType: "complete" });
    },
    async listen(client, taskId) {
      void client.ask("subscriptions/listen", { notifications: { taskIds: [taskId, "another"] } });
      const acknowledged = await client.next(isMethod("notifications/subscriptions/acknowledged"));
      expect(acknowledged).toMatchObject({ params: { notifications: { taskIds: [taskId] } } });
    },
    cancelledTwice: { resultType: "complete" },
  },
];

describe.each(inEras)("a task of a $era client", (inEra) => {
  const { era } = inEra;

  it("is the gateway's own, is said to work, and keeps its result until its time is over", async () => {
    const { gateway, clock, jobs, close } = openTaskWorld({ limits: { taskTtlMs: 1000 } });
    await using client = await connectTasks(gateway, era);
    const created = await client.start();
    const { taskId = "" } = created;
    expect(created).toMatchObject({
      status: "working",
      taskId: expect.stringMatching(/^[0-9a-f]{48}$/),
      createdAt: "2027-01-15T08:00:00.000Z",
      ...inEra.created,
    });
    expect(await client.ask("tasks/get", { taskId })).toMatchObject({ taskId, status: "working" });
    expect(gateway.stats()).toMatchObject({ tasks: 1, busy: 1 });
    clock.advance(400);
    jobs[0]?.end("done");
    await expect.poll(() => gateway.stats().busy).toBe(0);
    const ended = await client.ask("tasks/get", { taskId });
    expect(ended).toMatchObject({ status: "completed", lastUpdatedAt: "2027-01-15T08:00:00.400Z" });
    expect(await inEra.result(client, taskId)).toEqual(text("done"));
    clock.advance(599);
    expect(await client.ask("tasks/get", { taskId })).toMatchObject({ status: "completed" });
    clock.advance(1);
    await expect(client.ask("tasks/get", { taskId })).rejects.toMatchObject(unknown);
    expect(gateway.stats()).toMatchObject({ tasks: 0 });
    expect(clock.pending()).toBe(0);
    await close();
  });

  it("is nobody else's, and none after a restart", async () => {
    const { gateway, close } = openTaskWorld();
    await using client = await connectTasks(gateway, era);
    await using other = await connectTasks(gateway, era);
    const { taskId = "" } = await client.start();
    for (const method of ["tasks/get", "tasks/cancel"]) {
      await expect(other.ask(method, { taskId })).rejects.toMatchObject(unknown);
    }
    expect(await inEra.end(other, taskId)).toMatchObject(unknown);
    const after = openTaskWorld();
    await using again = await connectTasks(after.gateway, era);
    await expect(again.ask("tasks/get", { taskId })).rejects.toMatchObject(unknown);
    await close();
    await after.close();
  });

  it("is cancelled at its server, once and for all", async () => {
    const { gateway, jobs, close } = openTaskWorld();
    await using client = await connectTasks(gateway, era);
    const { taskId = "" } = await client.start();
    await client.ask("tasks/cancel", { taskId });
    expect(jobs[0]?.signal.aborted).toBe(true);
    jobs[0]?.end("too late");
    expect(await client.ask("tasks/get", { taskId })).toMatchObject({ status: "cancelled" });
    const again = await client.ask("tasks/cancel", { taskId }).catch((error: unknown) => error);
    expect(again).toMatchObject(inEra.cancelledTwice);
    expect(await client.ask("tasks/get", { taskId })).not.toHaveProperty("result");
    await close();
  });

  it("is given up when its time is over", async () => {
    const { gateway, clock, jobs, close } = openTaskWorld({ limits: { taskTtlMs: 1000 } });
    await using client = await connectTasks(gateway, era);
    const { taskId = "" } = await client.start();
    await client.ask("tasks/get", { taskId });
    clock.advance(1000);
    expect(jobs[0]?.signal.aborted).toBe(true);
    expect(await inEra.end(client, taskId)).toMatchObject(unknown);
    expect(gateway.stats()).toMatchObject({ tasks: 0, busy: 0 });
    await close();
  });

  it("says what its server says of it, and that it changed", async () => {
    const { gateway, jobs, close } = openTaskWorld();
    await using client = await connectTasks(gateway, era);
    const { taskId = "" } = await client.start();
    await inEra.listen(client, taskId);
    jobs[0]?.say("working", "half\u0007 way");
    expect(await client.ask("tasks/get", { taskId })).toMatchObject({ status: "working", statusMessage: "half way" });
    jobs[0]?.end("done");
    const isChange = isMethod(inEra.changes);
    const statusOf = ({ params }: JsonObject): unknown => (params as JsonObject)["status"];
    const last = await client.next((message) => isChange(message) && statusOf(message) === "completed");
    expect(last).toMatchObject({ params: { taskId, status: "completed" } });
    const states = client.received.filter(isChange).map(statusOf);
    expect(states).toEqual(["working", "completed"]);
    await close();
  });

  it("waits for its user as its era has it, and goes on with the answer", async () => {
    const { gateway, jobs, close } = openTaskWorld();
    await using client = await connectTasks(gateway, era);
    const { taskId = "" } = await client.start();
    const [job] = jobs;
    const answered = job?.ask("Which?");
    expect(await client.ask("tasks/get", { taskId })).toMatchObject({ status: "input_required" });
    await inEra.answer(client, taskId);
    expect(await answered).toBe('accept {"a":1}');
    expect(await client.ask("tasks/get", { taskId })).toMatchObject({ status: "working" });
    const second = job?.ask("Sure?");
    await client.ask("tasks/cancel", { taskId });
    expect(await second).toBe("cancel null");
    await close();
  });

  it("has a result no larger than there is room for", async () => {
    const { gateway, jobs, close } = openTaskWorld({ limits: { maxTaskBytesPerSession: 1000 } });
    await using client = await connectTasks(gateway, era);
    const { taskId = "" } = await client.start();
    jobs[0]?.end("x".repeat(2000));
    await expect.poll(() => client.ask("tasks/get", { taskId })).toMatchObject({ status: "failed" });
    await using other = await connectTasks(gateway, era);
    expect(await other.start()).toMatchObject({ status: "working" });
    await close();
  });

  it("ends with its client", async () => {
    const { gateway, clock, jobs, close } = openTaskWorld();
    const client = await connectTasks(gateway, era);
    await client.start();
    await client[Symbol.asyncDispose]();
    expect(jobs[0]?.signal.aborted).toBe(true);
    expect(gateway.stats()).toEqual({ clients: 0, busy: 0, subscriptions: 0, parked: 0, tasks: 0 });
    expect(clock.pending()).toBe(0);
    await close();
  });

  it("is let finish when the gateway ends", async () => {
    const { gateway, clock, jobs } = openTaskWorld();
    await using client = await connectTasks(gateway, era);
    const { taskId = "" } = await client.start();
    const ending = gateway.close("over", { drainMs: 1000 });
    jobs[0]?.end("in time");
    await expect.poll(() => inEra.result(client, taskId)).toEqual(text("in time"));
    await ending;
    expect(jobs[0]?.signal.aborted).toBe(false);
    expect(clock.pending()).toBe(0);
  });
});

describe("who has no tasks has calls", () => {
  it("where a session is of an earlier revision", async () => {
    const { gateway, jobs, close } = openTaskWorld();
    await using client = await connectSession(gateway, { revision: "2025-06-18" });
    expect(client.hello["capabilities"]).not.toHaveProperty("tasks");
    expect(JSON.stringify(await client.request("tools/list"))).not.toContain("taskSupport");
    const calling = client.request("tools/call", { name: "job", task: {} });
    await expect.poll(() => jobs.length).toBe(1);
    jobs[0]?.end("done");
    expect(textOf(await calling)).toBe("done");
    expect(await client.request("tasks/list")).toMatchObject({ error: { code: -32_601 } });
    await close();
  });

  it("where a session asks for none, which says of each tool that it may", async () => {
    const { gateway, jobs, close } = openTaskWorld();
    await using client = await connectSession(gateway);
    expect(client.hello["capabilities"]).toMatchObject({
      tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
    });
    expect(await client.request("tools/list")).toMatchObject({
      result: { tools: [{ execution: { taskSupport: "optional" } }, { execution: { taskSupport: "optional" } }] },
    });
    const calling = client.request("tools/call", { name: "job" });
    await expect.poll(() => jobs.length).toBe(1);
    jobs[0]?.end("done");
    expect(textOf(await calling)).toBe("done");
    for (const task of [7, { ttl: -1 }, { ttl: "long" }]) {
      expect(await client.request("tools/call", { name: "job", task })).toMatchObject({ error: { code: -32_602 } });
    }
    await close();
  });

  it("where a request of 2026-07-28 does not say so, whatever the one before said", async () => {
    const { gateway, jobs, close } = openTaskWorld();
    await using client = await connectTasks(gateway, "modern");
    expect(await client.ask("server/discover")).toMatchObject({
      capabilities: { extensions: { "io.modelcontextprotocol/tasks": {} } },
    });
    const { taskId = "" } = await client.start();
    const _meta = envelope();
    const missing = { error: { code: -32_021, data: { requiredCapabilities: { extensions: {} } } } };
    for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
      expect(await client.request(method, { taskId, inputResponses: {}, _meta })).toMatchObject(missing);
    }
    const notifications = { taskIds: [taskId] };
    expect(await client.request("subscriptions/listen", { notifications, _meta })).toMatchObject(missing);
    const calling = client.request("tools/call", { name: "job", _meta });
    await expect.poll(() => jobs.length).toBe(2);
    jobs[1]?.end("done");
    expect(textOf(await calling)).toBe("done");
    await close();
  });

  it("where its server makes none of it", async () => {
    const { gateway, jobs, close } = openTaskWorld();
    await using client = await connectTasks(gateway, "modern");
    const calling = client.ask("tools/call", { name: "call", task: {} });
    await expect.poll(() => jobs.length).toBe(1);
    jobs[0]?.end("done");
    expect(await calling).toMatchObject({ resultType: "complete", content: [{ text: "done" }] });
    await close();
  });
});

describe("no more tasks than there is room for", () => {
  it("are refused to a session", async () => {
    const { gateway, close } = openTaskWorld({ limits: { maxTasksPerSession: 1, maxTasks: 2 } });
    await using client = await connectTasks(gateway, "legacy");
    await using other = await connectTasks(gateway, "legacy");
    await using third = await connectTasks(gateway, "legacy");
    const { taskId = "" } = await client.start();
    const refused = { code: -32_000, data: { code: "overloaded" } };
    await expect(client.start()).rejects.toMatchObject(refused);
    await other.start();
    await expect(third.start()).rejects.toMatchObject(refused);
    expect(await client.ask("tasks/list")).toMatchObject({ tasks: [{ taskId }] });
    expect(await third.ask("tasks/list")).toEqual({ tasks: [] });
    await close();
  });

  it("are calls in 2026-07-28", async () => {
    const { gateway, jobs, close } = openTaskWorld({ limits: { maxTasksPerSession: 1 } });
    await using client = await connectTasks(gateway, "modern");
    await client.start();
    const second = client.ask("tools/call", { name: "job" });
    await expect.poll(() => jobs.length).toBe(2);
    jobs[1]?.end("as a call");
    expect(await second).toMatchObject({ resultType: "complete", ...text("as a call") });
    await close();
  });
});

describe("tasks/result", () => {
  it("waits for the end, and is answered with it also when the gateway ends", async () => {
    const { gateway, clock, jobs } = openTaskWorld();
    await using client = await connectTasks(gateway, "legacy");
    const { taskId = "" } = await client.start();
    const waiting = client.ask("tasks/result", { taskId });
    const ending = gateway.close("over", { drainMs: 1000 });
    jobs[0]?.end("in time");
    expect(await waiting).toMatchObject(text("in time"));
    await ending;
    expect(clock.pending()).toBe(0);
  });

  it("is refused of a task that was cancelled, or whose time is over", async () => {
    const { gateway, clock, close } = openTaskWorld();
    await using client = await connectTasks(gateway, "legacy");
    const { taskId = "" } = await client.start();
    const { taskId: another = "" } = await client.start();
    const ends = [taskId, another].map((id) =>
      client.ask("tasks/result", { taskId: id }).catch((error: unknown) => error),
    );
    expect(await client.ask("tasks/cancel", { taskId })).toMatchObject({ status: "cancelled" });
    expect(await ends[0]).toMatchObject({ code: -32_000, data: { code: "aborted" } });
    clock.advance(3_600_000);
    expect(await ends[1]).toMatchObject(unknown);
    await close();
  });
});

describe("a task in between", () => {
  it("is made of a call that was parked, whose question was answered", async () => {
    const { gateway, jobs, close } = openTaskWorld();
    await using client = await connectTasks(gateway, "modern");
    const calling = client.ask("tools/call", { name: "call" });
    await expect.poll(() => jobs.length).toBe(1);
    const answered = jobs[0]?.ask("Name?");
    const { requestState = "" } = await calling;
    const inputResponses = { "question-1": { action: "accept", content: { name: "Ann" } } };
    const going = client.ask("tools/call", { name: "call", requestState, inputResponses });
    expect(await answered).toBe('accept {"name":"Ann"}');
    jobs[0]?.say("working");
    const created = await going;
    expect(created).toMatchObject({ resultType: "task", status: "working" });
    expect(created).not.toHaveProperty("requestState");
    expect(gateway.stats()).toMatchObject({ parked: 0, tasks: 1 });
    jobs[0]?.end("Ann it is");
    const { taskId = "" } = created;
    await expect.poll(() => client.ask("tasks/get", { taskId })).toMatchObject({ result: text("Ann it is") });
    await close();
  });

  it("that failed is answered by tasks/result as its call would have been, and progress goes on", async () => {
    const { gateway, jobs, close } = openTaskWorld();
    await using client = await connectTasks(gateway, "legacy");
    const created = await client.ask("tools/call", {
      name: "call",
      task: { ttl: 5000 },
      _meta: { progressToken: "p" },
    });
    expect(created).toMatchObject({ task: { ttl: 5000 } });
    const { taskId = "" } = created["task"] as JsonObject;
    const waiting = client.ask("tasks/result", { taskId });
    jobs[0]?.step("first");
    expect(await client.next(isMethod("notifications/progress"))).toMatchObject({
      params: { progressToken: "p", message: "first", _meta: { "io.modelcontextprotocol/related-task": { taskId } } },
    });
    expect(await client.ask("tasks/get", { taskId })).toMatchObject({ statusMessage: "first" });
    jobs[0]?.fail("out of paper");
    expect(await waiting).toMatchObject({ isError: true });
    expect(await client.ask("tasks/get", { taskId })).toMatchObject({ status: "failed" });
    const none = await client.ask("tools/call", { name: "no_such_tool", task: {} });
    const { taskId: of = "" } = none["task"] as JsonObject;
    await expect(client.ask("tasks/result", { taskId: of })).rejects.toMatchObject({ code: -32_602 });
    await close();
  });

  it("is not given up with its message, and not with a session that asks again", async () => {
    const { gateway, jobs, close } = openTaskWorld();
    await using client = await connectTasks(gateway, "legacy");
    const { taskId = "" } = await client.start();
    void client.request("tasks/result", { taskId }, "waits");
    client.notify("notifications/cancelled", { requestId: "waits" });
    client.notify("notifications/cancelled", { requestId: "id-2" });
    expect(await client.ask("tasks/get", { taskId })).toMatchObject({ status: "working" });
    expect(jobs[0]?.signal.aborted).toBe(false);
    await close();
  });
});

it("is refused what it does not have where nobody said who it is", async () => {
  const { gateway, close } = openTaskWorld();
  await using client = connectRaw(gateway);
  expect(await client.request("tasks/get", { taskId: "x" })).toMatchObject({ error: { code: -32_602 } });
  await close();
});
