import { EventEmitter } from "node:events";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, expect, it, vi } from "vitest";
import { closeOnSignals } from "./close-on-signals.ts";

afterEach(() => vi.unstubAllGlobals());

function createSource() {
  const emitter = new EventEmitter();
  const ended: string[] = [];
  const source: object = Object.create(process);
  Object.defineProperties(source, {
    pid: { value: 42 },
    on: { value: emitter.on.bind(emitter) },
    off: { value: emitter.off.bind(emitter) },
    listenerCount: { value: emitter.listenerCount.bind(emitter) },
    kill: { value: (pid: number, signal: string) => ended.push(`${signal} to ${pid}`) },
    exit: { value: (code: number) => ended.push(`exit ${code}`) },
  });
  vi.stubGlobal("process", source);
  return { emitter, ended };
}

it("closes first and lets the signal have its way then, also when closing fails", async () => {
  const fails = async (): Promise<void> => {
    throw new Error("stuck");
  };
  for (const close of [async () => undefined, fails]) {
    const { emitter, ended } = createSource();
    closeOnSignals(close);
    emitter.emit("SIGTERM");
    expect(ended).toEqual([]);
    await nextTurn();
    expect(ended).toEqual(["SIGTERM to 42"]);
    expect(emitter.eventNames()).toEqual([]);
  }
});

it("exits at once at a second signal", () => {
  const { emitter, ended } = createSource();
  closeOnSignals(() => new Promise(() => undefined));
  emitter.emit("SIGINT");
  emitter.emit("SIGINT");
  expect(ended).toEqual(["exit 130"]);
});

it("leaves the process to whoever else listens", async () => {
  const { emitter, ended } = createSource();
  let closes = 0;
  emitter.on("SIGTERM", () => undefined);
  closeOnSignals(() => void (closes += 1));
  emitter.emit("SIGTERM");
  await nextTurn();
  expect([closes, ended]).toEqual([1, []]);
});

it.each([
  ["nothing to close", undefined, "close must be a function, such as () => provider.close(), not undefined"],
  ["a provider in place of its close", { close: () => undefined }, "close must be a function, such as"],
])("throws a TypeError for %s, and listens to nothing", (_, target, message) => {
  const { emitter } = createSource();
  expect(() => closeOnSignals(target as never)).toThrow(new RegExp(`closeOnSignals\\(\\): ${message.slice(0, 20)}`));
  expect(emitter.eventNames()).toEqual([]);
});

it("listens until it is told not to, and only where there are signals", () => {
  const { emitter } = createSource();
  const remove = closeOnSignals(() => undefined);
  expect(emitter.eventNames()).toEqual(["SIGHUP", "SIGINT", "SIGTERM"]);
  remove();
  expect(emitter.eventNames()).toEqual([]);
  vi.stubGlobal("process", undefined);
  const begin = (): unknown => closeOnSignals(() => undefined);
  expect(begin).toThrow("this runtime has no signals");
});
