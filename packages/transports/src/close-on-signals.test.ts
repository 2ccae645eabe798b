import { EventEmitter } from "node:events";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { closeOnSignals, type SignalSource } from "./close-on-signals.ts";

function createSource() {
  const emitter = new EventEmitter();
  const ended: string[] = [];
  const source: SignalSource = Object.assign(emitter, {
    pid: 42,
    kill: (pid: number, signal: string) => ended.push(`${signal} to ${pid}`),
    exit: (code: number) => ended.push(`exit ${code}`),
  });
  return { emitter, ended, source };
}

it("closes first and lets the signal have its way then, also when closing fails", async () => {
  const fails = async (): Promise<void> => {
    throw new Error("stuck");
  };
  for (const close of [async () => undefined, fails]) {
    const { emitter, ended, source } = createSource();
    closeOnSignals(close, { process: source });
    emitter.emit("SIGTERM");
    expect(ended).toEqual([]);
    await nextTurn();
    expect(ended).toEqual(["SIGTERM to 42"]);
    expect(emitter.eventNames()).toEqual([]);
  }
});

it("exits at once at a second signal", () => {
  const { emitter, ended, source } = createSource();
  closeOnSignals(() => new Promise(() => undefined), { process: source });
  emitter.emit("SIGINT");
  emitter.emit("SIGINT");
  expect(ended).toEqual(["exit 130"]);
});

it("leaves the process to whoever else listens", async () => {
  const { emitter, ended, source } = createSource();
  let closes = 0;
  emitter.on("SIGTERM", () => undefined);
  closeOnSignals(() => void (closes += 1), { process: source });
  emitter.emit("SIGTERM");
  await nextTurn();
  expect([closes, ended]).toEqual([1, []]);
});

const close = (): undefined => undefined;
it.each<[string, readonly [unknown, object?], string]>([
  ["nothing to close", [undefined], "close must be a function, such as () => provider.close(), not undefined"],
  ["a provider in place of its close", [{ close }], "close must be a function, such as"],
  ["one signal as a text", [close, { signals: "SIGTERM" }], "signals must be an array of SIGHUP, SIGINT, SIGTERM"],
  ["a signal that nobody can catch", [close, { signals: ["SIGKILL"] }], "signals must be an array of SIGHUP"],
  ["a signal that every object has", [close, { signals: ["toString"] }], "signals must be an array of SIGHUP"],
])("throws a TypeError for %s, and listens to nothing", (_, [target, options], message) => {
  const { emitter, source } = createSource();
  const begin = (): unknown => closeOnSignals(target as never, { process: source, ...options });
  expect(begin).toThrow(TypeError);
  expect(begin).toThrow(`closeOnSignals(): ${message}`);
  expect(emitter.eventNames()).toEqual([]);
});

it("listens to what it is told to, until it is told not to", () => {
  const { emitter, source } = createSource();
  const remove = closeOnSignals(() => undefined, { process: source, signals: ["SIGHUP"] });
  expect(emitter.eventNames()).toEqual(["SIGHUP"]);
  remove();
  expect(emitter.eventNames()).toEqual([]);
  expect(() => closeOnSignals(() => undefined, { signal: "SIGHUP" } as never)).toThrow('has no option "signal"');
  expect(() => closeOnSignals(() => undefined, { process: {} as never })).toThrow(TypeError);
});
