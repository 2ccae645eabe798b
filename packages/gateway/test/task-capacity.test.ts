import type { JsonObject } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { connectSession, envelope } from "./raw-client.ts";
import { textOf } from "./static-world.ts";
import { connectTasks, eras, openTaskWorld, type TaskClient } from "./task-world.ts";

const unknown = { code: -32_602, message: expect.stringContaining("There is no such task") };
const extensions = { "io.modelcontextprotocol/tasks": {} };

describe.each(eras)("a task of a %s client that has ended", (era) => {
  const fetch = (client: TaskClient, taskId: string): Promise<JsonObject> =>
    client.ask(era === "legacy" ? "tasks/result" : "tasks/get", { taskId });
  const startAll = async (client: TaskClient, count: number): Promise<string[]> => {
    const ids: string[] = [];
    for (let started = 0; started < count; started += 1) {
      const { taskId } = await client.start();
      if (typeof taskId === "string") ids.push(taskId);
    }
    return ids;
  };

  it("makes room for another once its result was fetched, the oldest first", async () => {
    const { gateway, jobs, close } = openTaskWorld({ limits: { maxTasksPerSession: 3 } });
    await using client = await connectTasks(gateway, era);
    const [first = "", second = "", third = ""] = await startAll(client, 3);
    for (const job of jobs) job.end("done");
    await expect.poll(() => gateway.stats().busy).toBe(0);
    await fetch(client, third);
    await fetch(client, second);
    await client.start();
    await expect(client.ask("tasks/get", { taskId: second })).rejects.toMatchObject(unknown);
    for (const taskId of [first, third]) expect(await fetch(client, taskId)).toMatchObject({});
    await client.start();
    await expect(client.ask("tasks/get", { taskId: first })).rejects.toMatchObject(unknown);
    expect(gateway.stats()).toMatchObject({ tasks: 3 });
    await close();
  });

  it("keeps its place while nobody has fetched it, unless it was cancelled", async () => {
    const { gateway, jobs, close } = openTaskWorld({ limits: { maxTasksPerSession: 2 } });
    await using client = await connectTasks(gateway, era);
    const [kept = "", given = ""] = await startAll(client, 2);
    jobs[0]?.end("kept");
    await expect.poll(() => gateway.stats().busy).toBe(1);
    await client.ask("tasks/cancel", { taskId: given });
    await client.start();
    expect(await fetch(client, kept)).toMatchObject({});
    await close();
  });

  it("makes room for the result of another", async () => {
    const { gateway, jobs, close } = openTaskWorld({ limits: { maxTaskBytesPerSession: 1000 } });
    await using client = await connectTasks(gateway, era);
    const [first = "", second = ""] = await startAll(client, 2);
    jobs[0]?.end("x".repeat(600));
    await expect.poll(() => gateway.stats().busy).toBe(1);
    await fetch(client, first);
    jobs[1]?.end("x".repeat(600));
    await expect.poll(() => client.ask("tasks/get", { taskId: second })).toMatchObject({ status: "completed" });
    await expect(client.ask("tasks/get", { taskId: first })).rejects.toMatchObject(unknown);
    await close();
  });

  it("makes no room for a result that has none in any case", async () => {
    const { gateway, jobs, close } = openTaskWorld({ limits: { maxTaskBytesPerSession: 1000 } });
    await using client = await connectTasks(gateway, era);
    const [first = "", second = ""] = await startAll(client, 2);
    jobs[0]?.end("x".repeat(600));
    await expect.poll(() => gateway.stats().busy).toBe(1);
    await fetch(client, first);
    jobs[1]?.end("x".repeat(1600));
    await expect.poll(() => client.ask("tasks/get", { taskId: second })).toMatchObject({ status: "failed" });
    expect(await client.ask("tasks/get", { taskId: first })).toMatchObject({ status: "completed" });
    await close();
  });

  it("is waited for when the gateway ends, for as long as calls are, until its client has it", async () => {
    const { gateway, clock, jobs } = openTaskWorld();
    await using client = await connectTasks(gateway, era);
    const [taskId = ""] = await startAll(client, 1);
    let isOver = false;
    const ending = gateway.close("over", { drainMs: 1000 }).then(() => (isOver = true));
    jobs[0]?.end("in time");
    await expect.poll(() => gateway.stats().busy).toBe(0);
    await new Promise(setImmediate);
    expect(isOver).toBe(false);
    await fetch(client, taskId);
    await ending;
    expect(clock.pending()).toBe(0);
  });

  it("is waited for no longer than that", async () => {
    const { gateway, clock, jobs } = openTaskWorld();
    await using client = await connectTasks(gateway, era);
    await startAll(client, 1);
    const ending = gateway.close("over", { drainMs: 1000 });
    jobs[0]?.end("in time");
    await expect.poll(() => gateway.stats().busy).toBe(0);
    clock.advance(1000);
    await ending;
    expect(clock.pending()).toBe(0);
  });
});

it.each([0, null])("a session that gives its task the time %s leaves it to the gateway", async (ttl) => {
  const { gateway, close } = openTaskWorld({ limits: { taskTtlMs: 9000 } });
  await using client = await connectTasks(gateway, "legacy");
  expect(await client.start("job", { ttl })).toMatchObject({ ttl: 9000 });
  await close();
});

it("a retry that does not say that it can have tasks gets none", async () => {
  const { gateway, jobs, close } = openTaskWorld();
  await using client = await connectTasks(gateway, "modern");
  const asking = client.ask("tools/call", { name: "call" });
  await expect.poll(() => jobs.length).toBe(1);
  const answer = jobs[0]?.ask("Sure?");
  const { requestState = "" } = await asking;
  const inputResponses = { "question-1": { action: "decline" } };
  const _meta = envelope({ elicitation: { form: {} } });
  const retrying = client.request("tools/call", { name: "call", requestState, inputResponses, _meta });
  expect(await answer).toBe("decline null");
  jobs[0]?.say("working");
  jobs[0]?.end("as a call");
  expect(textOf(await retrying)).toBe("as a call");
  expect(gateway.stats()).toMatchObject({ tasks: 0 });
  await close();
});

it("a question that is too large is put to nobody", async () => {
  const { gateway, jobs, close } = openTaskWorld({ limits: { maxQuestionLength: 200 } });
  await using client = await connectSession(gateway, { capabilities: { elicitation: { form: {} }, extensions } });
  void client.request("tools/call", { name: "call" });
  await expect.poll(() => jobs.length).toBe(1);
  await expect(jobs[0]?.ask("x".repeat(200))).rejects.toMatchObject({ code: "unsupported_operation" });
  expect(client.received.filter(({ method }) => method === "elicitation/create")).toEqual([]);
  const small = jobs[0]?.ask("Sure?");
  const { id = null } = await client.next(({ method }) => method === "elicitation/create");
  client.send({ jsonrpc: "2.0", id, result: { action: "decline" } });
  expect(await small).toBe("decline null");
  await close();
});
