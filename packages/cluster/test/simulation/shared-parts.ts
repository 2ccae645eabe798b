import type { ServerSharing, ServerSpec } from "@hostside/core";
import type { ConversationKey, ConversationLease, SharedOwner } from "@hostside/cluster";
import type { StubProvider } from "../stub-provider.ts";

/** One thing that somebody does to shared providers. Numbers are places in lists, counted round. */
export type SharedStep =
  | { readonly type: "lease" | "dispose"; readonly who: number }
  | { readonly type: "dispose-principal"; readonly who: number }
  | {
      readonly type:
        | "release"
        | "call"
        | "endCall"
        | "give-up"
        | "crash"
        | "finish-make"
        | "fail-make"
        | "finish-close"
        | "finish-apply"
        | "refuse-apply";
      readonly nth: number;
    }
  | { readonly type: "update"; readonly set: number }
  | { readonly type: "wait"; readonly ms: number }
  | { readonly type: "ticks"; readonly count: number }
  | { readonly type: "turn" };

/** Steps, and whether the next one follows in the same turn. */
export type SharedProgram = readonly { readonly step: SharedStep; readonly isFollowed: boolean }[];

export interface Made {
  readonly owner: SharedOwner;
  readonly stub: StubProvider;
  /** The servers that it has by its latest set. */
  has: readonly string[];
  /** Changes that are under way: what it had before each. */
  readonly applying: { readonly before: readonly string[]; readonly settle: (isRefused: boolean) => void }[];
  leases: number;
  closed: boolean;
  gone: boolean;
  crashed: boolean;
  finishClose: () => void;
}

export interface Making {
  readonly owner: SharedOwner;
  readonly servers: readonly string[];
  readonly succeed: () => void;
  readonly fail: () => void;
  isOver: boolean;
}

export interface SimulatedRequest {
  readonly key: ConversationKey;
  readonly controller: AbortController;
  isOpen: boolean;
  mayEnd: boolean;
  /** How often the servers had changed when it was made. */
  readonly updates: number;
  stuckMs: number;
}

export interface Held {
  readonly lease: ConversationLease;
  readonly of: readonly Made[];
  isHeld: boolean;
}

// Alike wherever texts are joined.
export const people: readonly ConversationKey[] = [
  { conversation: "1", principal: "a" },
  { conversation: "2", principal: "a" },
  { conversation: "1", principal: "b" },
  { conversation: "/1", principal: "a" },
  { conversation: "1", principal: "a/" },
  { conversation: "1" },
];
export const s = "shared";
export const p = "principal";
export const c = "conversation";
// Who may share x, y and z.
export const sets: readonly Readonly<Record<string, ServerSharing>>[] = [
  { x: s, y: p, z: c },
  { x: p, y: p, z: c },
  { x: s, y: s, z: p },
  { x: c, y: c, z: s },
  { x: s, y: c },
  { y: p },
  { x: p, y: c, z: c },
  {},
];
export const sharedLimits = {
  maxProviders: 6,
  maxConnections: 6,
  maxProcesses: 4,
  maxPerPrincipal: 3,
  ttlMs: 1000,
  waitMs: 500,
  makeMs: 900,
  drainMs: 200,
};

export interface Usage {
  readonly providers: number;
  readonly connections: number;
  readonly processes: number;
}

export function settleApply(one: Made | undefined, isRefused: boolean): void {
  one?.applying.shift()?.settle(isRefused && one.applying.length === 0);
}

// y and z are processes.
export function specsOf(set: Readonly<Record<string, ServerSharing>>): readonly ServerSpec[] {
  return Object.entries(set).map(([id, sharing]) => ({
    id,
    sharing,
    ...(id === "x" ? { type: "http", url: "https://example.com/" } : { type: "stdio", command: "node" }),
  }));
}

export function kindsOf(set: Readonly<Record<string, ServerSharing>>): string {
  return [s, p, c].filter((sharing) => Object.values(set).some((one) => one === sharing)).join();
}

export function sizeOf(ids: readonly string[]): Omit<Usage, "providers"> {
  return { connections: ids.length, processes: ids.filter((id) => id !== "x").length };
}

// One that takes the place of another counts once.
export function takenBy({ has, applying }: Made): Omit<Usage, "providers"> {
  const sizes = [has, ...applying.map(({ before }) => before)].map(sizeOf);
  return {
    connections: Math.max(...sizes.map(({ connections }) => connections)),
    processes: Math.max(...sizes.map(({ processes }) => processes)),
  };
}

export function isFor(owner: SharedOwner, { principal, conversation }: ConversationKey): boolean {
  if (owner.sharing === s) return owner.principal === undefined && owner.conversation === undefined;
  return owner.principal === principal && owner.conversation === (owner.sharing === c ? conversation : undefined);
}

export function sameOwner(a: SharedOwner, b: SharedOwner): boolean {
  return a.sharing === b.sharing && a.principal === b.principal && a.conversation === b.conversation;
}

export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
