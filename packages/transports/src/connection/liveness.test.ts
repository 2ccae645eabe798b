import { HostsideError } from "@hostside/core";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { Liveness } from "./connection.ts";
import type { RequestChannel } from "../message/outgoing-request.ts";
import { createServerContext } from "../../test/server-context.ts";

const timeout = new HostsideError("call", { code: "call_timeout" });
const silence = new HostsideError("ping", { code: "request_timeout" });

function watch(isModern = false) {
  const asked: string[] = [];
  const dead: string[] = [];
  let settle = (_error?: unknown): void => undefined;
  const channel: Pick<RequestChannel, "request"> = {
    request: ({ method }) =>
      new Promise((resolve, reject) => {
        asked.push(method);
        settle = (error) => (error === undefined ? resolve({}) : reject(error));
      }),
  };
  const liveness = new Liveness({
    context: createServerContext({}, { timeouts: { requestMs: 100 } }),
    // No more of a channel is used.
    channel: channel as RequestChannel,
    isModern,
    onDead: ({ message }) => dead.push(message),
  });
  const timeOut = (times: number): void => {
    for (let count = 0; count < times; count += 1) liveness.failed(timeout);
  };
  const answerPing = async (error?: unknown): Promise<void> => {
    settle(error);
    await nextTurn();
  };
  return { liveness, asked, dead, timeOut, answerPing };
}

describe("Liveness", () => {
  it.each([
    { isModern: false, method: "ping" },
    { isModern: true, method: "server/discover" },
  ])("asks once, with $method, after three calls in a row that timed out", ({ isModern, method }) => {
    const { asked, timeOut } = watch(isModern);
    timeOut(2);
    expect(asked).toEqual([]);
    timeOut(4);
    expect(asked).toEqual([method]);
  });

  it("takes a server for dead that leaves that unanswered, too", async () => {
    const { dead, timeOut, answerPing } = watch();
    timeOut(3);
    await answerPing(silence);
    expect(dead).toEqual([expect.stringContaining("answered none of 3 calls in a row, and no ping within 100 ms")]);
  });

  it.each([
    { name: "an answer", error: undefined },
    { name: "a refusal", error: new HostsideError("?", { code: "server_error" }) },
  ])("is content with $name, and counts anew", async ({ error }) => {
    const { dead, asked, timeOut, answerPing } = watch();
    timeOut(3);
    await answerPing(error);
    timeOut(2);
    expect(dead).toEqual([]);
    timeOut(1);
    expect(asked).toHaveLength(2);
  });

  it("counts anew after any answer to a call, also while it asks", async () => {
    const { liveness, asked, dead, timeOut, answerPing } = watch();
    timeOut(2);
    liveness.answered();
    timeOut(2);
    liveness.failed(new HostsideError("?", { code: "server_error" }));
    timeOut(2);
    expect(asked).toEqual([]);
    timeOut(1);
    liveness.answered();
    await answerPing(silence);
    expect(dead).toEqual([]);
  });
});
