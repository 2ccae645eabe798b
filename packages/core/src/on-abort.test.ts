import { getEventListeners } from "node:events";
import { describe, expect, it, vi } from "vitest";
import { nodeWarnings } from "../../../test/node-warnings.ts";
import { onAbort } from "./waiting.ts";

describe("onAbort()", () => {
  it("calls whoever still listens, once", () => {
    const stop = new AbortController();
    const [heard, cancelled, second] = [vi.fn<() => void>(), vi.fn<() => void>(), vi.fn<() => void>()];
    const { signal } = stop;
    onAbort(signal, heard);
    onAbort(signal, cancelled)();
    onAbort(signal, second);
    stop.abort("over");
    stop.abort("again");
    expect([heard, cancelled, second].map(({ mock }) => mock.calls.length)).toEqual([1, 0, 1]);
  });

  it("has one listener at a signal, however many wait, which no runtime takes for a leak", async () => {
    const { signal } = new AbortController();
    const warnings = await nodeWarnings(() => {
      const cancels = Array.from({ length: 20 }, () => onAbort(signal, () => {}));
      expect(getEventListeners(signal, "abort").length).toBe(1);
      for (const cancel of cancels) cancel();
    });
    expect(warnings).toEqual([]);
    expect(getEventListeners(signal, "abort").length).toBe(0);
  });

  it("leaves those alone who began to wait after somebody left, who may leave twice", () => {
    const stop = new AbortController();
    const leave = onAbort(stop.signal, () => {});
    leave();
    const heard = vi.fn<() => void>();
    onAbort(stop.signal, heard);
    leave();
    stop.abort();
    expect(heard).toHaveBeenCalledOnce();
  });

  it("calls nobody who comes too late, and leaves nothing at the signal", () => {
    const signal = AbortSignal.abort();
    const heard = vi.fn<() => void>();
    onAbort(signal, heard)();
    onAbort(signal, heard);
    expect([heard.mock.calls.length, getEventListeners(signal, "abort").length]).toEqual([0, 0]);
  });

  it("lets a listener cancel another while they are called", () => {
    const stop = new AbortController();
    const heard = vi.fn<() => void>();
    let cancel = (): void => {};
    onAbort(stop.signal, () => cancel());
    cancel = onAbort(stop.signal, heard);
    stop.abort();
    expect(heard).not.toHaveBeenCalled();
  });
});
