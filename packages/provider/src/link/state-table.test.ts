import { readFileSync } from "node:fs";
import { HostsideError } from "@hostside/core";
import { describe, expect, it } from "vitest";
import type { LinkContext, LinkEffect, LinkEvent, Step, LinkState } from "./link-state.ts";
import { transition, wakeAt } from "./transition.ts";

// Walks the tables of docs/internals/server-states.md: every cell is what the transition
// really does.

const page = readFileSync(new URL("../../../../docs/internals/server-states.md", import.meta.url), "utf8");
const error = new HostsideError("test", { code: "unreachable", serverId: "s" });
const context: LinkContext = {
  serverId: "s",
  now: 1000,
  random: () => 0.5,
  waiting: false,
  hasWholeListing: false,
  unusedSince: undefined,
  isAssumed: false,
  policy: {
    refresh: "lazy",
    debounceMs: 300,
    maxDelayMs: 2000,
    backoffBaseMs: 500,
    backoffMaxMs: 60_000,
    background: true,
    idleMs: Number.POSITIVE_INFINITY,
    connectBackstopMs: 100,
    listBackstopMs: 100,
  },
};

const numbers = { session: 1, run: 1 };
const session = { ...numbers, connectedAt: 900, connectMs: 10, failures: 0 };
const ready = { ...session, kind: "ready", listMs: 10 } as const;
const running = {
  kind: "running",
  startedAt: 900,
  outdated: true,
  noticed: false,
  demanded: false,
  repeat: false,
  failures: 0,
} as const;
const failure = { ...numbers, error, failures: 1, retryAt: 900 };

const states: Readonly<Record<string, LinkState>> = {
  disabled: { ...numbers, kind: "disabled" },
  idle: { ...numbers, kind: "idle" },
  connecting: { ...numbers, kind: "connecting", startedAt: 900, failures: 0 },
  listing: { ...session, kind: "listing", listing: running },
  "ready, fresh": { ...ready, listing: { kind: "fresh" } },
  "ready, dirty": { ...ready, listing: { kind: "dirty", since: 900, notBefore: 0, failures: 0 } },
  "ready, listing": { ...ready, listing: running },
  down: { ...failure, kind: "down" },
  failed: { ...failure, kind: "failed", stage: "connect" },
  "needs-auth": { ...failure, kind: "needs-auth", stage: "connect" },
  removed: { ...numbers, kind: "removed", error },
};

const listing = { tools: [], dropped: [], pages: 1 };
const events: Readonly<Record<string, LinkEvent>> = {
  "a call": { type: "want", demand: "call", tickets: [1] },
  "a refresh": { type: "want", demand: "refresh", tickets: [1] },
  "a notification": { type: "tools-changed", session: 1 },
  "other credentials": { type: "renew", error },
  disconnect: { type: "disconnect", error },
  "sign-out": { type: "disconnect", error, refusal: error },
  "removal, close": { type: "remove", error },
  connected: { type: "connected", session: 1 },
  "not connected": { type: "connect-failed", session: 1, error },
  listed: { type: "listed", session: 1, run: 1, listing },
  "not listed": { type: "list-failed", session: 1, run: 1, error },
  "session lost": { type: "session-lost", session: 1, error },
  "its time comes": { type: "wake" },
};

const words: Readonly<Record<LinkEffect["type"], string>> = {
  go: "goes out",
  wait: "waits",
  refuse: "is refused",
  connect: "connects",
  close: "closes",
  list: "lists",
  publish: "publishes",
  release: "lets go",
  reject: "turns away",
};

describe("the tables of one server's life", () => {
  const tables = readTables();

  it("name every state once in each table", () => {
    for (const { rows } of tables) expect(rows.map(([name]) => name)).toEqual(Object.keys(states));
  });

  it("name every event", () => {
    const named = tables.flatMap(({ head }) => head);
    expect(new Set(named)).toEqual(new Set(Object.keys(events)));
  });

  const cells = tables.flatMap(({ head, rows }) =>
    rows.flatMap(([state = "", ...row]) => head.map((event, index) => [state, event, row[index] ?? ""] as const)),
  );
  it.each(cells)("in state %s, %s: %s", (stateName, eventName, cell) => {
    const state = states[stateName];
    const event = events[eventName];
    if (state === undefined || event === undefined) throw new Error(`unknown: ${stateName}, ${eventName}`);
    expect(cell).toBe(describeStep(transition(state, event, context), state));
  });

  it("say which states need a timer", () => {
    const timed = Object.entries(states).filter(([, state]) => wakeAt(state, context.policy) !== undefined);
    expect(timed.map(([name]) => name)).toEqual(["connecting", "listing", "ready, listing", "failed"]);
  });
});

function describeStep({ state, effects }: Step, before: LinkState): string {
  const done = effects.map(({ type }) => words[type]);
  const connects = effects.some(({ type }) => type === "connect");
  if (state !== before && nameOf(state) === nameOf(before) && !connects) done.push("one more listing is due");
  const next = nameOf(state) === nameOf(before) ? "" : ` → ${nameOf(state)}`;
  return `${done.join(", ")}${next}`.trim() || "–";
}

function nameOf(state: LinkState): string {
  if (state.kind !== "ready") return state.kind;
  return `ready, ${state.listing.kind === "running" ? "listing" : state.listing.kind}`;
}

interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

function readTables(): readonly Table[] {
  return page
    .split("\n\n")
    .filter((block) => block.startsWith("| state |"))
    .map((block) => {
      const [head = [], , ...rows] = block.split("\n").map((line) =>
        line
          .split("|")
          .slice(1, -1)
          .map((cell) => cell.trim().replaceAll("*", "")),
      );
      return { head: head.slice(1), rows };
    });
}
