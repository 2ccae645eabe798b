import { describe, expect, it } from "vitest";
import { connect } from "./connect.ts";
import { createConnector } from "./connector.ts";

describe("createConnector()", () => {
  it("throws a TypeError that names an option it does not know", () => {
    const options: object = { onElicits: () => undefined };
    const make = (): unknown => createConnector(options);
    expect(make).toThrow(TypeError);
    expect(make).toThrow('createConnector() has no option "onElicits"; known are clientInfo, eraCache, onElicit, ');
  });
});

describe("connect()", () => {
  it("rejects with a TypeError that names an option it does not know, and opens nothing", async () => {
    let opened = 0;
    const transport = { kind: "custom", open: () => (opened += 1) } as const;
    const options: object = { onDwn: () => undefined };
    const failure = await connect({ id: "a", transport }, options).catch((reason: unknown) => reason);
    expect(failure).toBeInstanceOf(TypeError);
    expect(failure).toMatchObject({ message: expect.stringMatching(/^connect\(\) has no option "onDwn"; known are /) });
    expect(opened).toBe(0);
  });
});
