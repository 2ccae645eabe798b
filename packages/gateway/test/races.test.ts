import type { JsonObject } from "@hostside/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { envelope, type RawClient } from "./raw-client.ts";
import { openHeldCalls, connectHeld, type HeldCalls } from "./held-calls.ts";

// `pnpm proof gateway` looks at more.
const numRuns = Number(process.env["HOSTSIDE_RUNS"] ?? 60);
const check = async (property: fc.IAsyncProperty<unknown>): Promise<void> => {
  await expect(fc.check(property, { numRuns })).resolves.toMatchObject({ counterexample: null });
};
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
};

/** What is left of a gateway whose client is gone. */
async function expectNothingLeft({ gateway, clock, close }: HeldCalls, client: RawClient): Promise<void> {
  await client[Symbol.asyncDispose]();
  await turns();
  expect(gateway.stats()).toEqual({ clients: 0, busy: 0, subscriptions: 0, parked: 0 });
  expect(clock.pending()).toBe(0);
  await close();
}

/** Each request was answered once at most, whatever was done about it. */
function expectOneAnswerEach({ received }: RawClient): void {
  const ids = received.filter(({ method }) => method === undefined).map(({ id }) => id);
  expect(ids).toHaveLength(new Set(ids).size);
}

describe("a call that is parked", () => {
  const steps = ["answer", "answer nothing", "cancel", "time out", "end", "fail", "ask", "turn"] as const;

  it("has one end, whoever comes first of its user, its client, its server and its time", async () => {
    const schedule = fc.array(fc.constantFrom(...steps), { maxLength: 10 });
    await check(
      fc.asyncProperty(schedule, async (order) => {
        const world = openHeldCalls({ limits: { parkedMs: 1000 } });
        const client = connectHeld(world.gateway);
        const params = { name: "call", _meta: envelope({ elicitation: { form: {} } }) };
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
