import fc from "fast-check";
import type { Concurrency } from "@toolport/core";
import type { RefreshMode } from "@toolport/provider";
import type { CallFault, ConnectFault, ListFault } from "./simulated-server.ts";

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
  | { readonly do: "crash"; readonly id: string }
  | { readonly do: "expire"; readonly id: string }
  | { readonly do: "add"; readonly id: string; readonly abortable: boolean }
  | { readonly do: "remove"; readonly id: string }
  | { readonly do: "disconnect"; readonly id: string }
  | { readonly do: "update"; readonly id: string; readonly change: "session" | "view" | "disabled" }
  | { readonly do: "advance"; readonly ms: number }
  | { readonly do: "close" };

/** What a run is made from. */
export interface Program {
  readonly refresh: RefreshMode;
  readonly concurrency: Concurrency;
  readonly commands: readonly Command[];
}

const id = fc.constantFrom(...playedIds);
// Most trouble is interesting where it meets other trouble, so one server gets most of it.
const target = fc.oneof({ weight: 3, arbitrary: fc.constant("a") }, { weight: 1, arbitrary: id });

const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("call" as const),
      tool: fc.nat(7),
      timeoutMs: fc.constantFrom(3000, 3000, 400),
      select: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("call-calm" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("abort" as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("refresh" as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("refresh-server" as const), id: target }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("change" as const), id: target, tool: fc.constantFrom("echo", "x", "y") }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("storm" as const), id: target }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("connect-fault" as const),
      id: target,
      fault: fc.constantFrom<ConnectFault>("refuse", "hang", "unauthorized", "crash-after-handshake"),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("list-fault" as const),
      id: target,
      fault: fc.constantFrom<ListFault>("fail", "hang", "truncate"),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("call-fault" as const),
      id: target,
      fault: fc.constantFrom<CallFault>("fail", "hang", "crash", "unauthorized", "ask-human"),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("crash" as const), id: target }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("expire" as const), id: target }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("add" as const), id: target, abortable: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("remove" as const), id: target }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("disconnect" as const), id: target }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("update" as const),
      id: target,
      change: fc.constantFrom("session" as const, "view" as const, "disabled" as const),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("advance" as const), ms: fc.constantFrom(1, 120, 600, 4000) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("close" as const) }) },
);

/** Random programs. */
export const programs: fc.Arbitrary<Program> = fc.record({
  refresh: fc.constantFrom<RefreshMode>("lazy", "debounced", "manual"),
  concurrency: fc.constantFrom<Concurrency>("parallel", "serial", "read-only-parallel"),
  commands: fc.array(command, { minLength: 1, maxLength: 14 }),
});
