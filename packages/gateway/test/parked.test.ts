import type { ElicitationRequest, ElicitationResult, JsonObject } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { useManualClock } from "../../../test/manual-clock.ts";
import type { Gateway, GatewayOptions } from "@hostside/gateway";
import { connectRaw, connectSession, envelope, isMethod, type RawClient } from "./raw-client.ts";
import { openHeldCalls } from "./held-calls.ts";
import { serveTools, textOf, tool } from "./static-world.ts";

const form = { elicitation: { form: {} } };

interface Asking {
  readonly gateway: Gateway;
  /** How often the tool ran. */
  readonly runs: { count: number; aborted: number };
}

/**
 * A tool that asks its user as often as it is told, as a server's question would come: by `elicit`
 * of the gateway.
 */
function serveAsker(options: Partial<GatewayOptions> = {}): Asking {
  const runs = { count: 0, aborted: 0 };
  const asker = tool("ask", async ({ times = 1, mode = "form" }, { context, signal }) => {
    runs.count += 1;
    signal?.addEventListener("abort", () => (runs.aborted += 1));
    const answers: ElicitationResult[] = [];
    for (let time = 1; time <= Number(times); time += 1) {
      const question: ElicitationRequest = {
        serverId: "shop",
        mode: mode === "url" ? "url" : "form",
        message: `Question ${time}`,
        params: {
          message: `Question ${time}`,
          ...(mode === "url" && { url: "https://shop.example/pay", elicitationId: "one" }),
          requestedSchema: { type: "object" },
          future: true,
        },
        ...(context && { context }),
      };
      answers.push(await gateway.elicit(question, signal ?? new AbortController().signal));
    }
    return answers.map(({ action, content }) => `${action} ${JSON.stringify(content ?? null)}`).join(", ");
  });
  const { gateway } = serveTools([asker], options);
  return { gateway, runs };
}

function call(client: RawClient, params: JsonObject = {}, capabilities: JsonObject = form): Promise<JsonObject> {
  return client.request("tools/call", { name: "ask", arguments: {}, ...params, _meta: envelope(capabilities) });
}

/** What a client that was asked sends back. */
function retryOf(answer: JsonObject, response: JsonObject): JsonObject {
  const { inputRequests, requestState = "" } = answer["result"] as JsonObject;
  const keys = Object.keys(inputRequests as JsonObject);
  return { requestState, inputResponses: Object.fromEntries(keys.map((key) => [key, response])) };
}

describe("a question to a client of 2026-07-28", () => {
  it("is the answer of its call, which goes on with the retry and runs once", async () => {
    const { gateway, runs } = serveAsker();
    await using client = connectRaw(gateway);
    const args = { arguments: { times: 2 } };
    const first = await call(client, args);
    expect(first).toMatchObject({
      result: {
        resultType: "input_required",
        inputRequests: {
          "question-1": {
            method: "elicitation/create",
            params: { message: "[shop] Question 1", requestedSchema: { type: "object" }, future: true },
          },
        },
        requestState: expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
    });
    expect(gateway.stats()).toMatchObject({ parked: 1 });
    const second = await call(client, { ...args, ...retryOf(first, { action: "accept", content: { a: 1 } }) });
    expect(second).toMatchObject({ result: { resultType: "input_required" } });
    const last = await call(client, { ...args, ...retryOf(second, { action: "decline" }) });
    expect(textOf(last)).toBe('accept {"a":1}, decline null');
    expect(runs.count).toBe(1);
    expect(gateway.stats()).toMatchObject({ parked: 0, busy: 0 });
    await gateway.close("over", { drainMs: 1 });
  });

  it("is asked once more where the retry has no answer, and a wrong one is a cancel", async () => {
    const { gateway } = serveAsker();
    await using client = connectRaw(gateway);
    const first = await call(client);
    const again = await call(
      client,
      retryOf(first, {}) && { requestState: (first["result"] as JsonObject)["requestState"] ?? "" },
    );
    expect(again).toMatchObject({ result: { resultType: "input_required", inputRequests: { "question-1": {} } } });
    expect(textOf(await call(client, retryOf(again, { action: "perhaps" })))).toBe("cancel null");
    await gateway.close("over", { drainMs: 1 });
  });

  it("is gone on with by nobody else, for nothing else, and once", async () => {
    const { gateway, runs } = serveAsker();
    await using client = connectRaw(gateway);
    await using other = connectRaw(gateway);
    const first = await call(client);
    const retry = retryOf(first, { action: "accept" });
    const refused = { error: { code: -32_602 } };
    expect(await call(other, retry)).toMatchObject(refused);
    expect(await call(client, { ...retry, arguments: { times: 3 } })).toMatchObject(refused);
    expect(await call(client, { ...retry, requestState: "0".repeat(48) })).toMatchObject(refused);
    expect(await call(client, { ...retry, requestState: 7 })).toMatchObject(refused);
    expect(textOf(await call(client, retry))).toBe("accept null");
    expect(await call(client, retry)).toMatchObject(refused);
    expect(runs.count).toBe(1);
    await gateway.close("over", { drainMs: 1 });
  });

  it("waits no longer than parkedMs, and then its call is given up", async () => {
    const clock = useManualClock();
    const { gateway, runs } = serveAsker({ limits: { parkedMs: 1000 } });
    await using client = connectRaw(gateway);
    const first = await call(client);
    clock.advance(1000);
    await expect.poll(() => runs.aborted).toBe(1);
    expect(await call(client, retryOf(first, { action: "accept" }))).toMatchObject({ error: { code: -32_602 } });
    expect(gateway.stats()).toMatchObject({ parked: 0, busy: 0 });
    await gateway.close("over", { drainMs: 1 });
  });

  it("beyond the limit of a client reaches nobody, and disturbs no other client", async () => {
    const { gateway } = serveAsker({ limits: { maxParkedPerSession: 2 } });
    await using flood = connectRaw(gateway);
    await using other = connectRaw(gateway);
    const answers = await Promise.all([1, 2, 3].map(() => call(flood)));
    expect(answers.map((answer) => (answer["result"] as JsonObject)["resultType"])).toEqual([
      "input_required",
      "input_required",
      "complete",
    ]);
    expect(await call(other)).toMatchObject({ result: { resultType: "input_required" } });
    await gateway.close("over", { drainMs: 1 });
  });

  it("is given up with its client", async () => {
    const { gateway, runs } = serveAsker();
    const client = connectRaw(gateway);
    await call(client);
    await client[Symbol.asyncDispose]();
    expect(runs.aborted).toBe(1);
    expect(gateway.stats()).toEqual({ clients: 0, busy: 0, subscriptions: 0, parked: 0 });
    await gateway.close("over", { drainMs: 1 });
  });
});

describe("a question that cannot be asked is refused", () => {
  const noAnswer = { result: { isError: true } };

  it("where the client offers none, or not that kind", async () => {
    const { gateway } = serveAsker();
    await using client = connectRaw(gateway);
    expect(await call(client, {}, {})).toMatchObject(noAnswer);
    expect(await call(client, { arguments: { mode: "url" } })).toMatchObject(noAnswer);
    expect(await call(client, { arguments: { mode: "url" } }, { elicitation: { url: {} } })).toMatchObject({
      result: { resultType: "input_required" },
    });
    expect(await call(client, {}, { elicitation: { url: {} } })).toMatchObject(noAnswer);
    await using session = await connectSession(gateway);
    expect(await session.request("tools/call", { name: "ask" })).toMatchObject(noAnswer);
    await gateway.close("over", { drainMs: 1 });
  });

  it("where it is not known whose it is", async () => {
    const { gateway } = serveAsker();
    await using client = connectRaw(gateway);
    await call(client);
    const question = { serverId: "shop", mode: "form", message: "?", params: {} } as const;
    const { signal } = new AbortController();
    await expect(gateway.elicit(question, signal)).rejects.toMatchObject({ code: "unsupported_operation" });
    const context = { conversation: "somebody" };
    await expect(gateway.elicit({ ...question, context }, signal)).rejects.toMatchObject({
      code: "unsupported_operation",
    });
    await gateway.close("over", { drainMs: 1 });
  });
});

describe("a question to a client with a session", () => {
  it("goes to that client alone, is taken back with its call, and its answer counts once", async () => {
    const { gateway, runs } = serveAsker();
    await using client = await connectSession(gateway, { capabilities: form });
    await using other = await connectSession(gateway, { capabilities: form });
    const answered = client.request("tools/call", { name: "ask" }, "call");
    const { id = null } = await client.next(isMethod("elicitation/create"));
    other.send({ jsonrpc: "2.0", id, result: { action: "accept" } });
    client.notify("notifications/cancelled", { requestId: "call" });
    expect(await client.next(isMethod("notifications/cancelled"))).toMatchObject({ params: { requestId: id } });
    expect(other.received.filter(isMethod("elicitation/create"))).toEqual([]);
    client.send({ jsonrpc: "2.0", id, result: { action: "accept" } });
    expect(await client.request("ping")).toMatchObject({ result: {} });
    expect(client.received.filter((message) => message["id"] === "call")).toEqual([]);
    expect(runs).toEqual({ count: 1, aborted: 1 });
    void answered;
    await gateway.close("over", { drainMs: 1 });
  });
});

it("a question of which nobody knows whose it is goes to the oldest request of its server, not to the latest in a place that became free", async () => {
  const { gateway, jobs, close } = openHeldCalls();
  await using client = connectRaw(gateway);
  const call = (id: string): Promise<JsonObject> =>
    client.request("tools/call", { name: "call", _meta: envelope(form) }, id);
  const first = call("first");
  void call("oldest");
  await expect.poll(() => jobs.length).toBe(2);
  jobs[0]?.end("done");
  await first;
  void call("latest");
  await expect.poll(() => jobs.length).toBe(3);
  void jobs[1]?.askSomebody("Which?");
  const asked = await client.next(({ result }) => (result as JsonObject)?.["resultType"] === "input_required");
  expect(asked["id"]).toBe("oldest");
  await close();
});
