import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { eitherSignal } from "./cancellable-wait.ts";

describe("eitherSignal()", () => {
  it.each(["of the call", "that lasts"])("aborts with the reason of the one %s", (which) => {
    const [call, lasting] = [new AbortController(), new AbortController()];
    const { signal } = eitherSignal(call.signal, lasting.signal);
    expect(signal.aborted).toBe(false);
    (which === "that lasts" ? lasting : call).abort(which);
    expect([signal.aborted, signal.reason]).toEqual([true, which]);
  });

  it("is aborted where one of them is, and is the one that lasts where there is no other", () => {
    const lasting = new AbortController();
    expect(eitherSignal(undefined, lasting.signal).signal).toBe(lasting.signal);
    const call = AbortSignal.abort("early");
    expect(eitherSignal(call, lasting.signal).signal.reason).toBe("early");
  });

  it("leaves nothing at either of them once it is released", () => {
    const [call, lasting] = [new AbortController(), new AbortController()];
    const { signal, release } = eitherSignal(call.signal, lasting.signal);
    release();
    expect([call, lasting].map((one) => getEventListeners(one.signal, "abort").length)).toEqual([0, 0]);
    lasting.abort();
    expect(signal.aborted).toBe(false);
  });
});
