import { describe, expect, it } from "vitest";
import { connect, createConnector } from "./connector.ts";

describe("createConnector()", () => {
  it("throws a TypeError that names an option it does not know", () => {
    const options: object = { headerFor: () => undefined };
    const make = (): unknown => createConnector(options);
    expect(make).toThrow(TypeError);
    expect(make).toThrow('createConnector() has no option "headerFor"; did you mean headersFor?');
  });

  it.each<[object, string]>([
    [{ clientInfo: "me" }, "clientInfo must be an object with a name and a version"],
    [{ clientInfo: { name: "me" } }, "clientInfo must be an object with a name and a version"],
    [{ clientInfo: { name: "", version: "1" } }, "clientInfo must be an object with a name and a version"],
    [{ fetch: "fetch" }, "fetch must be a function, not a string"],
    [{ tasks: "wait" }, "tasks must be a boolean"],
    [{ maxConcurrentStarts: 0 }, "maxConcurrentStarts must be a positive integer"],
  ])("throws a TypeError for %j", (options, message) => {
    const make = (): unknown => createConnector(options);
    expect(make).toThrow(TypeError);
    expect(make).toThrow(`createConnector(): ${message}`);
  });
});

describe("connect()", () => {
  it("rejects with a TypeError that names an option it does not know, and opens nothing", async () => {
    let opened = 0;
    const transport = { type: "custom", open: () => (opened += 1) } as const;
    const options: object = { onDwn: () => undefined };
    const failure = await connect({ id: "a", ...transport }, options).catch((reason: unknown) => reason);
    expect(failure).toBeInstanceOf(TypeError);
    expect(failure).toMatchObject({
      message: expect.stringMatching(/^connect\(\) has no option "onDwn"; did you mean onDown\?/),
    });
    expect(opened).toBe(0);
  });

  it.each<[object, string]>([
    [{ signal: {} }, "signal must be an AbortSignal"],
    [{ onLog: "log" }, "connect(): onLog must be a function, not a string"],
    [{ isInteractive: true }, "connect(): isInteractive must be a function, not a boolean"],
    [new Map(), "connect() takes its options as an object, not a Map"],
  ])("rejects with a TypeError for %j, and opens nothing", async (options, message) => {
    let opened = 0;
    const transport = { type: "custom", open: () => (opened += 1) } as const;
    const failure = await connect({ id: "a", ...transport }, options).catch((reason: unknown) => reason);
    expect(failure).toBeInstanceOf(TypeError);
    expect(failure).toMatchObject({ message });
    expect(opened).toBe(0);
  });
});
