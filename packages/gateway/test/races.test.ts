import type { JsonObject } from "@hostside/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { envelope } from "./raw-client.ts";
import { connectTasks, eras, openTaskWorld, type TaskClient, type TaskWorld } from "./task-world.ts";

// `pnpm proof gateway` looks at more.
const numRuns = Number(process.env["HOSTSIDE_RUNS"] ?? 60);
const check = async (property: fc.IAsyncProperty<unknown>): Promise<void> => {
  await expect(fc.check(property, { numRuns })).resolves.toMatchObject({ counterexample: null });
};
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
};

/** What is left of a gateway whose client is gone. */
async function expectNothingLeft({ gateway, clock, close }: TaskWorld, client: TaskClient): Promise<void> {
  await client[Symbol.asyncDispose]();
  await turns();
  expect(gateway.stats()).toEqual({ clients: 0, busy: 0, subscriptions: 0, parked: 0, tasks: 0 });
  expect(clock.pending()).toBe(0);
  await close();
}

/** Each request was answered once at most, whatever was done about it. */
function expectOneAnswerEach({ received }: TaskClient): void {
  const ids = received.filter(({ method }) => method === undefined).map(({ id }) => id);
  expect(ids).toHaveLength(new Set(ids).size);
}

describe.each(eras)("a task of a %s client", (era) => {
  const steps = ["end", "fail", "cancel", "expire", "ask", "say", "wait", "let go", "turn"] as const;

  it("has one end, in whatever order it ends, is cancelled and is over", async () => {
    const schedule = fc.array(fc.constantFrom(...steps), { maxLength: 12 });
    await check(
      fc.asyncProperty(schedule, async (order) => {
        const world = openTaskWorld({ limits: { taskTtlMs: 1000 } });
        const client = await connectTasks(world.gateway, era);
        const { taskId = "" } = await client.start();
        const [job] = world.jobs;
        const seen: unknown[] = [];
        let waits = 0;
        const doing: Readonly<Record<(typeof steps)[number], () => unknown>> = {
          end: () => job?.end("done"),
          fail: () => job?.fail("broken"),
          cancel: () => client.request("tasks/cancel", { taskId, _meta: metaOf(era) }),
          expire: () => world.clock.advance(600),
          ask: () => void job?.ask("Sure?").catch(() => undefined),
          say: () => job?.say("working", `message ${seen.length}`),
          wait: () => void client.request("tasks/result", { taskId, _meta: metaOf(era) }, `waits-${(waits += 1)}`),
          "let go": () => client.notify("notifications/cancelled", { requestId: `waits-${waits}` }),
          turn: turns,
        };
        for (const step of order) {
          doing[step]();
          const { result, error } = await client.request("tasks/get", { taskId, _meta: metaOf(era) });
          seen.push(error === undefined ? (result as JsonObject)["status"] : "gone");
        }
        const ends = seen.filter((status) => status !== "working" && status !== "input_required");
        // From its end on it has that end, until it is gone; and from then on it is gone.
        expect(ends).toEqual(ends.length === 0 ? [] : seen.slice(-ends.length));
        expect(new Set(ends.filter((status) => status !== "gone")).size).toBeLessThanOrEqual(1);
        expect(ends.lastIndexOf("gone") - ends.indexOf("gone") + 1).toBe(
          ends.filter((is) => is === "gone").length || 1,
        );
        expectOneAnswerEach(client);
        await expectNothingLeft(world, client);
      }),
    );
  });
});

function metaOf(era: (typeof eras)[number]): JsonObject {
  return era === "legacy"
    ? {}
    : envelope({ extensions: { "io.modelcontextprotocol/tasks": {} }, elicitation: { form: {} } });
}

describe("a call that is parked", () => {
  const steps = ["answer", "answer nothing", "cancel", "time out", "end", "fail", "ask", "turn"] as const;

  it("has one end, whoever comes first of its user, its client, its server and its time", async () => {
    const schedule = fc.array(fc.constantFrom(...steps), { maxLength: 10 });
    await check(
      fc.asyncProperty(schedule, async (order) => {
        const world = openTaskWorld({ limits: { parkedMs: 1000 } });
        const client = await connectTasks(world.gateway, "modern");
        const params = { name: "call", _meta: metaOf("modern") };
        void client.request("tools/call", params, "call-0");
        await turns();
        const [job] = world.jobs;
        const ask = (): unknown => void job?.ask("Sure?").catch(() => undefined);
        ask();
        await turns();
        let retries = 0;
        const retry = (inputResponses: JsonObject): void => {
          const asked = client.received.findLast(
            ({ result }) => (result as JsonObject)?.["resultType"] === "input_required",
          );
          const { requestState = "" } = (asked?.["result"] ?? {}) as JsonObject;
          retries += 1;
          void client.request("tools/call", { ...params, inputResponses, requestState }, `call-${retries}`);
        };
        const doing: Readonly<Record<(typeof steps)[number], () => unknown>> = {
          answer: () => retry({ "question-1": { action: "accept" }, "question-2": { action: "decline" } }),
          "answer nothing": () => retry({}),
          cancel: () => client.notify("notifications/cancelled", { requestId: `call-${retries}` }),
          "time out": () => world.clock.advance(600),
          end: () => job?.end("done"),
          fail: () => job?.fail("broken"),
          ask,
          turn: turns,
        };
        for (const step of order) await doing[step]();
        await turns();
        const results = client.received.filter(({ result }) => (result as JsonObject)?.["resultType"] === "complete");
        expect(results.length).toBeLessThanOrEqual(1);
        expect(world.jobs).toHaveLength(1);
        expectOneAnswerEach(client);
        // What waits for its client waits no longer than it may, and nothing that has ended waits.
        world.clock.advance(1000);
        await turns();
        expect(world.gateway.stats()).toMatchObject({ parked: 0 });
        await expectNothingLeft(world, client);
      }),
    );
  });
});
