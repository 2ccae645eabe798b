import fc from "fast-check";
import type { ServerSpec } from "@hostside/core";
import type { RefreshMode } from "../../src/link/link-state.ts";
import type { CallFault, CloseFault, ConnectFault, ListFault } from "./simulated-server.ts";

/** The servers that programs play with. */
export const playedIds = ["a", "b", "c"] as const;

/** A server that programs only call. Nothing that happens to the others may show in it. */
export const calmId = "calm";

/** One thing that happens, to the provider or to a server. */
export type Command =
  | { readonly do: "call"; readonly tool: number; readonly timeoutMs: number; readonly select: boolean }
  | { readonly do: "call-calm" }
  | { readonly do: "abort" }
  | { readonly do: "refresh" }
  | { readonly do: "refresh-server"; readonly id: string }
  | { readonly do: "change"; readonly id: string; readonly tool: string }
  | { readonly do: "storm"; readonly id: string }
  | { readonly do: "connect-fault"; readonly id: string; readonly fault: ConnectFault }
  | { readonly do: "list-fault"; readonly id: string; readonly fault: ListFault }
  | { readonly do: "call-fault"; readonly id: string; readonly fault: CallFault }
  | { readonly do: "close-fault"; readonly id: string; readonly fault: CloseFault }
  | { readonly do: "crash"; readonly id: string }
  | { readonly do: "expire"; readonly id: string }
  | { readonly do: "add"; readonly id: string; readonly abortable: boolean }
  | { readonly do: "remove"; readonly id: string }
  /** A removal and an add in the same turn. */
  | { readonly do: "swap"; readonly id: string }
  | { readonly do: "disconnect"; readonly id: string }
  | { readonly do: "update"; readonly id: string; readonly change: "session" | "credentials" | "view" | "disabled" }
  | { readonly do: "register"; readonly id: string }
  | { readonly do: "apply"; readonly servers: readonly AppliedServer[]; readonly drainMs: number }
  | { readonly do: "drain"; readonly id: string; readonly drainMs: number }
  | { readonly do: "clear"; readonly id: string }
  | { readonly do: "advance"; readonly ms: number }
  | { readonly do: "close" };

/**
 * A server of a set, and which of its specs: as it was at first, or other in what is shown, in its
 * credentials or in its session.
 */
type Concurrency = NonNullable<ServerSpec["concurrency"]>;

export interface AppliedServer {
  readonly id: string;
  readonly spec: "first" | "title" | "token" | "place" | "process" | "off";
}

/** What a run is made from. */
export interface Program {
  readonly refresh: RefreshMode;
  readonly concurrency: Concurrency;
  /** Whether calls pass interceptors of the `create` that makes the provider. */
  readonly intercepted: boolean;
  /** Whether unused sessions are closed. */
  readonly idle: boolean;
  /** Whether the servers are ready before the first command; else commands mix with the start. */
  readonly warm: boolean;
  /**
   * What the provider is handed of the servers: nothing; what they listed, which is of another
   * time; or what still holds by their own word, and then `other` is a server which is not the one
   * any more that it was.
   */
  readonly saved: "nothing" | "outdated" | "holding" | "other";
  readonly commands: readonly Command[];
}

const id = fc.constantFrom(...playedIds);
// Most trouble is interesting where it meets other trouble, so one server gets most of it.
const target = fc.oneof({ weight: 4, arbitrary: fc.constant("a") }, { weight: 1, arbitrary: id });

/**
 * How each kind of command is made, but for calls and changes of tools, of which every program has
 * some.
 */
const trouble = {
  "call-calm": fc.record({ do: fc.constant("call-calm") }),
  abort: fc.record({ do: fc.constant("abort") }),
  refresh: fc.record({ do: fc.constant("refresh") }),
  "refresh-server": fc.record({ do: fc.constant("refresh-server"), id: target }),
  storm: fc.record({ do: fc.constant("storm"), id: target }),
  "connect-fault": fc.record({
    do: fc.constant("connect-fault"),
    id: target,
    fault: fc.constantFrom(
      "refuse",
      "hang",
      "unauthorized",
      "crash-after-handshake",
      "busy",
      "no-key",
      "deaf",
      "queue",
    ),
  }),
  "list-fault": fc.record({
    do: fc.constant("list-fault"),
    id: target,
    fault: fc.constantFrom("fail", "hang", "truncate"),
  }),
  "call-fault": fc.record({
    do: fc.constant("call-fault"),
    id: target,
    fault: fc.constantFrom("fail", "hang", "crash", "unauthorized", "ask-human", "ask-nobody"),
  }),
  "close-fault": fc.record({ do: fc.constant("close-fault"), id: target, fault: fc.constant("hang") }),
  crash: fc.record({ do: fc.constant("crash"), id: target }),
  expire: fc.record({ do: fc.constant("expire"), id: target }),
  add: fc.record({ do: fc.constant("add"), id: target, abortable: fc.boolean() }),
  remove: fc.record({ do: fc.constant("remove"), id: target }),
  swap: fc.record({ do: fc.constant("swap"), id: target }),
  disconnect: fc.record({ do: fc.constant("disconnect"), id: target }),
  update: fc.record({
    do: fc.constant("update"),
    id: target,
    change: fc.constantFrom("session", "credentials", "view", "disabled"),
  }),
  register: fc.record({ do: fc.constant("register"), id: target }),
  apply: fc.record({
    do: fc.constant("apply"),
    servers: fc.uniqueArray(
      fc.record({
        id: target,
        spec: fc.constantFrom<AppliedServer["spec"]>("first", "first", "title", "token", "place", "process", "off"),
      }),
      { maxLength: 3, selector: (server) => server.id },
    ),
    drainMs: fc.constantFrom(0, 300, 10_000),
  }),
  drain: fc.record({ do: fc.constant("drain"), id: target, drainMs: fc.constantFrom(300, 10_000) }),
  clear: fc.record({ do: fc.constant("clear"), id: target }),
  advance: fc.record({ do: fc.constant("advance"), ms: fc.constantFrom(1, 120, 600, 4000) }),
  close: fc.record({ do: fc.constant("close") }),
} satisfies { readonly [Kind in Exclude<Command["do"], "call" | "change">]: fc.Arbitrary<Command> };

/** A kind of trouble. */
export type TroubleKind = keyof typeof trouble;

const call: fc.Arbitrary<Command> = fc.record({
  do: fc.constant("call"),
  tool: fc.nat(7),
  timeoutMs: fc.constantFrom(3000, 3000, 400),
  select: fc.boolean(),
});
const change: fc.Arbitrary<Command> = fc.record({
  do: fc.constant("change"),
  id: target,
  tool: fc.constantFrom("echo", "x", "y"),
});

const allKinds = Object.keys(trouble) as TroubleKind[];
// Changes of the set go wrong where they meet one another while one of them fails; a few out of all
// kinds are rarely those.
const changesOfTheSet: TroubleKind[] = [
  "add",
  "remove",
  "swap",
  "update",
  "register",
  "apply",
  "drain",
  "clear",
  "abort",
  "close-fault",
];
// "Swarm testing" (Groce et al., 2012): a program of a few kinds of trouble goes deeper into each
// than one of all kinds.
const swarms = fc.oneof(
  { weight: 4, arbitrary: fc.subarray(allKinds, { minLength: 2, maxLength: 5 }) },
  {
    weight: 1,
    arbitrary: fc
      .subarray(changesOfTheSet, { minLength: 2, maxLength: 4 })
      .map((kinds): TroubleKind[] => ["connect-fault", ...kinds]),
  },
);

/** Which programs to make. */
export interface ProgramPlan {
  /** Of the provider. */
  readonly modes: readonly RefreshMode[];
  /** The kinds of trouble that each program has. Default: a few, other ones in each. */
  readonly kinds?: readonly TroubleKind[] | undefined;
}

/** Random programs. */
export function programsFor({ modes, kinds }: ProgramPlan): fc.Arbitrary<Program> {
  const chosen = kinds === undefined ? swarms : fc.constant([...kinds]);
  return fc.record({
    refresh: fc.constantFrom(...modes),
    concurrency: fc.constantFrom<Concurrency>("parallel", "serial", "read-only-parallel"),
    intercepted: fc.constant(false),
    idle: fc.oneof(fc.constant(false), fc.constant(false), fc.boolean()),
    warm: fc.oneof(fc.constant(true), fc.constant(true), fc.boolean()),
    saved: fc.oneof(
      { weight: 3, arbitrary: fc.constant("nothing" as const) },
      { weight: 1, arbitrary: fc.constantFrom("outdated" as const, "holding" as const, "other" as const) },
    ),
    commands: chosen.chain((some) =>
      fc.array(fc.oneof(call, call, change, ...some.map((kind) => trouble[kind])), { minLength: 1, maxLength: 14 }),
    ),
  });
}
