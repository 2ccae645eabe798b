import type { JsonObject } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { useManualClock } from "../../../../test/manual-clock.ts";
import { createServerContext } from "../../test/server-context.ts";
import type { OutgoingRequest } from "../message/outgoing-request.ts";
import { requestInRounds } from "./request-in-rounds.ts";

describe("requestInRounds()", () => {
  it("says of an answer that came of a second round that it may not be kept", async () => {
    const kept = { resultType: "complete", contents: [], ttlMs: 60_000, cacheScope: "public" };
    expect(await ask([kept])).toBe(kept);
    const later = { resultType: "input_required", requestState: "s" };
    expect(await ask([later, kept])).toEqual({ ...kept, ttlMs: 0, cacheScope: "private" });
    const plain = { resultType: "complete", messages: [] };
    expect(await ask([later, plain])).toBe(plain);
  });
});

async function ask(answers: readonly JsonObject[]): Promise<JsonObject> {
  const clock = useManualClock();
  const sent: OutgoingRequest[] = [];
  const init = {
    context: createServerContext(),
    channel: {
      async request(request: OutgoingRequest) {
        sent.push(request);
        return answers[sent.length - 1] ?? {};
      },
      notify: async () => undefined,
      close: async () => undefined,
    },
    elicitor: undefined,
    isModern: true,
    closing: new AbortController(),
  };
  const request: OutgoingRequest = {
    method: "resources/read",
    params: { uri: "note://a" },
    timeoutMs: 60_000,
    timeoutCode: "request_timeout",
  };
  const answer = requestInRounds(init, request);
  await new Promise((resolve) => setImmediate(resolve));
  clock.advance(250);
  const result = await answer;
  expect(sent).toHaveLength(answers.length);
  return result;
}
