import { HostsideError } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import { describe, expect, it } from "vitest";
import { openWire } from "../../test/open-wire.ts";
import type { Transport } from "../message/transport.ts";
import type { Handshake } from "./next-attempt.ts";
import { shakeHands } from "./shake-hands.ts";
import { createServerContext } from "../../test/server-context.ts";

type Answer = { readonly result?: unknown; readonly error?: unknown } | HostsideError | "silence";

const initialized = { result: { protocolVersion: "2025-11-25", capabilities: {} } };
const unknownMethod = { error: { code: -32_601, message: "Method not found" } };
const offering = (...supportedVersions: string[]): Answer => ({ result: { supportedVersions, capabilities: {} } });
const refusing = (...supported: string[]): Answer => ({
  error: { code: -32_022, message: "Unsupported protocol version", data: { supported } },
});

describe("the era that a probe finds", () => {
  it.each([
    { name: "it offers 2026-07-28", discover: offering("2026-07-28", "2025-11-25"), era: "modern", asked: 1 },
    { name: "it offers an older one alone", discover: offering("2025-11-25"), era: "legacy", asked: 1 },
    {
      name: "it offers a newer one and an older one",
      discover: offering("2027-02-01", "2025-11-25"),
      era: "legacy",
      asked: 1,
    },
    { name: "it refuses in favour of an older one", discover: refusing("2025-11-25"), era: "legacy", asked: 1 },
    {
      name: "it keeps refusing what it says that it knows",
      discover: refusing("2026-07-28", "2025-11-25"),
      era: "legacy",
      asked: 2,
    },
    { name: "it does not know the method", discover: unknownMethod, era: "legacy", asked: 1 },
    { name: "it answers nonsense", discover: { result: {} }, era: "legacy", asked: 1 },
  ])("is $era when $name, for certain", async ({ discover, era, asked }) => {
    const { greeting, methods } = start({ discover });
    await expect(greeting).resolves.toMatchObject({ claimed: { era }, isCertain: true });
    expect(methods.filter((method) => method === "server/discover")).toHaveLength(asked);
  });

  it.each([503, 408, 425])("is a guess after HTTP %i, which is told with what it said", async (httpStatus) => {
    const discover = new HostsideError(`HTTP ${httpStatus}: deploying`, {
      code: "http_error",
      details: { httpStatus },
    });
    const { greeting, diagnostics } = start({ discover });
    await expect(greeting).resolves.toMatchObject({ claimed: { era: "legacy" }, isCertain: false });
    expect(diagnostics.map(({ message }) => message)).toEqual([
      expect.stringMatching(/failed with http_error; trying initialize \(HTTP \d+: deploying\)$/),
    ]);
  });

  it.each([
    {
      name: "credentials are missing",
      discover: new HostsideError("401", { code: "auth_required" }),
      code: "auth_required",
    },
    { name: "it offers nothing but later ones", discover: offering("2027-02-01"), code: "unsupported_protocol" },
  ])("is not looked for with initialize when $name", async ({ discover, code }) => {
    const { greeting, methods } = start({ discover });
    await expect(greeting).rejects.toMatchObject({ code });
    expect(methods).toEqual(["server/discover"]);
  });
});

describe("a probe that is answered by silence", () => {
  const silent = { discover: "silence", initialize: "silence" } as const;
  const [discovered, refused] = [offering("2026-07-28"), { error: { code: -32_022, message: "?" } }];

  it("has initialize sent beside it after probeMs, and not before", async () => {
    const { methods, clock } = start(silent);
    await turn();
    clock.advance(999);
    await turn();
    expect(methods).toEqual(["server/discover"]);
    clock.advance(1);
    await turn();
    expect(methods).toEqual(["server/discover", "initialize"]);
  });

  it.each([
    { name: "before that of initialize", answers: [["server/discover", discovered]] },
    {
      name: "after initialize was refused",
      answers: [
        ["initialize", refused],
        ["server/discover", discovered],
      ],
    },
    {
      name: "after initialize was refused as unknown",
      answers: [
        ["initialize", unknownMethod],
        ["server/discover", discovered],
      ],
    },
    {
      name: "in the same read as that of initialize",
      answers: [
        ["server/discover", discovered],
        ["initialize", initialized],
      ],
    },
  ] as const)("is modern for certain when the late answer comes $name", async ({ answers }) => {
    const { greeting, methods, answer, silence, diagnostics, wire } = start(silent);
    await silence();
    for (const [method, reply] of answers) answer(method, reply);
    await expect(greeting).resolves.toMatchObject({ claimed: { era: "modern" }, isCertain: true });
    await turn();
    expect(methods).toEqual(["server/discover", "initialize"]);
    expect(diagnostics).toEqual([]);
    // What comes for the request that was given up is nobody's.
    answer("initialize", initialized);
    await turn();
    expect(diagnostics).toEqual([]);
    void wire.request({ method: "tools/list", params: {}, timeoutMs: 1, timeoutCode: "list_timeout" }).catch(() => {});
    expect(methods).toEqual(["server/discover", "initialize", "tools/list"]);
  });

  it("is legacy as soon as initialize is answered: a guess, which is told", async () => {
    const { greeting, methods, answer, silence, diagnostics } = start(silent);
    await silence();
    answer("initialize", initialized);
    await expect(greeting).resolves.toMatchObject({ claimed: { era: "legacy" }, isCertain: false });
    answer("server/discover", discovered);
    await turn();
    expect(methods).toEqual(["server/discover", "initialize", "notifications/initialized"]);
    expect(diagnostics).toEqual([
      expect.objectContaining({
        kind: "fallback",
        message: expect.stringMatching(/was silent to server\/discover for 1000 ms/),
      }),
    ]);
  });

  it("is legacy for certain when the late answer says so", async () => {
    const { greeting, answer, silence, diagnostics } = start(silent);
    await silence();
    answer("server/discover", unknownMethod);
    await turn();
    answer("initialize", initialized);
    await expect(greeting).resolves.toMatchObject({ claimed: { era: "legacy" }, isCertain: true });
    expect(diagnostics).toEqual([]);
  });

  it("fails as initialize did when the probe stays unanswered: in the end, or at once for what is final", async () => {
    const { greeting, answer, silence, clock } = start(silent);
    await silence();
    answer("initialize", unknownMethod);
    await turn();
    clock.advance(1000);
    await expect(greeting).rejects.toMatchObject({ code: "server_error", details: { operation: "initialize" } });

    const other = start({ ...silent, initialize: new HostsideError("401", { code: "auth_required" }) });
    await other.silence();
    await expect(other.greeting).rejects.toMatchObject({ code: "auth_required" });
  });

  it("waits for the probe of a server that refused initialize as one of 2026-07-28 does", async () => {
    const { greeting, answer, silence, clock } = start(silent);
    await silence();
    answer("initialize", { error: { code: -32_020, message: "header mismatch" } });
    await turn();
    clock.advance(3900);
    await turn();
    answer("server/discover", discovered);
    await expect(greeting).resolves.toMatchObject({ claimed: { era: "modern" } });
  });
});

it.each([
  { name: "does not know it", discover: unknownMethod, details: { rpcCode: -32_601 } },
  { name: "offers another", discover: offering("2025-11-25"), details: { supported: ["2025-11-25"] } },
])("insisting on 2026-07-28 fails with unsupported_protocol when the server $name", async ({ discover, details }) => {
  const { greeting, methods } = start({ discover }, { handshake: "modern" });
  await expect(greeting).rejects.toMatchObject({ code: "unsupported_protocol", details });
  expect(methods).toEqual(["server/discover"]);
});

describe("notifications/initialized", () => {
  it("has arrived before the handshake is over, where messages can overtake each other", async () => {
    let arrive = (): void => undefined;
    const arrived = new Promise<void>((resolve) => (arrive = resolve));
    let isOver = false;
    const { greeting } = start({ onInitialized: () => arrived }, { handshake: "legacy" });
    void greeting.then(() => (isOver = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(isOver).toBe(false);
    arrive();
    await greeting;
  });

  it("fails the handshake when it is refused there", async () => {
    const refused = new HostsideError("HTTP 503", { code: "http_error" });
    const { greeting } = start({ onInitialized: () => Promise.reject(refused) }, { handshake: "legacy" });
    await expect(greeting).rejects.toBe(refused);
  });

  it("is not waited for in a channel that keeps the order", async () => {
    const { greeting, methods } = start(
      { onInitialized: () => new Promise(() => undefined) },
      { handshake: "legacy", isOrdered: true },
    );
    await greeting;
    expect(methods).toEqual(["initialize", "notifications/initialized"]);
  });
});

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function start(
  {
    discover = unknownMethod,
    initialize = initialized,
    onInitialized,
  }: {
    readonly discover?: Answer;
    readonly initialize?: Answer;
    readonly onInitialized?: () => Promise<void>;
  },
  { handshake = "probe", ...members }: { readonly handshake?: Handshake } & Partial<Transport> = {},
) {
  const { wire, host, clock, diagnostics } = openWire(members);
  const methods: string[] = [];
  const ids = new Map<string, unknown>();
  const answer = (method: string, reply: Answer): void => {
    if (isJsonObject(reply)) host.receive({ jsonrpc: "2.0", id: ids.get(method), ...reply });
  };
  host.send = async (message) => {
    const { id, method } = message;
    if (typeof method !== "string") return;
    methods.push(method);
    if (method === "notifications/initialized") return onInitialized?.();
    if (id !== undefined) ids.set(method, id);
    const reply = method === "initialize" ? initialize : discover;
    if (reply instanceof HostsideError) throw reply;
    queueMicrotask(() => answer(method, reply));
  };
  const greeting = shakeHands({
    context: createServerContext({ onDiagnostic: (each) => diagnostics.push(each) }),
    wire,
    identity: { info: { name: "test", version: "1" }, capabilities: {} },
    handshake,
    probeMs: 1000,
    timeoutMs: 5000,
    signal: new AbortController().signal,
    onStep: () => undefined,
  });
  greeting.catch(() => undefined);
  const silence = async (): Promise<void> => {
    await turn();
    clock.advance(1000);
    await turn();
  };
  return { greeting, methods, clock, diagnostics, answer, silence, wire };
}
