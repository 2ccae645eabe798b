import { isJsonObject, ToolportError, type Diagnostic } from "@toolport/core";
import { describe, expect, it } from "vitest";
import { openWire } from "../../test/open-wire.ts";
import type { HostTransport } from "../host-transport.ts";
import { shakeHands, type Handshake } from "./handshake.ts";

type Answer = { readonly result?: unknown; readonly error?: unknown } | ToolportError | "silence";

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

  it.each([
    { name: "silence", discover: "silence" as const, told: 0 },
    {
      name: "a server error, with what it said",
      discover: new ToolportError("HTTP 503: deploying", { code: "http_error", details: { httpStatus: 503 } }),
      told: 1,
    },
  ])("is a guess after $name", async ({ discover, told }) => {
    const { greeting, diagnostics, clock } = start({ discover });
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(1000);
    await expect(greeting).resolves.toMatchObject({ claimed: { era: "legacy" }, isCertain: false });
    expect(diagnostics.map(({ message }) => message)).toEqual(
      Array(told).fill(expect.stringMatching(/failed with http_error; trying initialize \(HTTP 503: deploying\)$/)),
    );
  });

  it.each([
    {
      name: "credentials are missing",
      discover: new ToolportError("401", { code: "auth_required" }),
      code: "auth_required",
    },
    { name: "it offers nothing but later ones", discover: offering("2027-02-01"), code: "unsupported_protocol" },
  ])("is not looked for with initialize when $name", async ({ discover, code }) => {
    const { greeting, methods } = start({ discover });
    await expect(greeting).rejects.toMatchObject({ code });
    expect(methods).toEqual(["server/discover"]);
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
    const refused = new ToolportError("HTTP 503", { code: "http_error" });
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

function start(
  {
    discover = unknownMethod,
    onInitialized,
  }: { readonly discover?: Answer; readonly onInitialized?: () => Promise<void> },
  { handshake = "probe", ...members }: { readonly handshake?: Handshake } & Partial<HostTransport> = {},
) {
  const { wire, host, clock, diagnostics } = openWire(members);
  const methods: string[] = [];
  host.send = async (message) => {
    if (!("method" in message)) return;
    methods.push(message.method);
    if (message.method === "notifications/initialized") return onInitialized?.();
    const answer = message.method === "initialize" ? initialized : discover;
    if (answer instanceof ToolportError) throw answer;
    if (isJsonObject(answer) && "id" in message) {
      const { id } = message;
      queueMicrotask(() => host.receive({ jsonrpc: "2.0", id, ...answer }));
    }
  };
  const greeting = shakeHands({
    context: {
      serverId: "srv",
      clock,
      redact: (text: string) => text,
      onDiagnostic: (each: Diagnostic) => diagnostics.push(each),
    },
    wire,
    identity: { info: { name: "test", version: "1" }, capabilities: {} },
    handshake,
    probeMs: 1000,
    timeoutMs: 5000,
    signal: new AbortController().signal,
    onStep: () => undefined,
  });
  greeting.catch(() => undefined);
  return { greeting, methods, clock, diagnostics };
}
