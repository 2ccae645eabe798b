import type { GlobalOptions } from "../command-context.ts";
import { fileWords, serverWords, shellLine } from "../render/render-text.ts";

/** A remedy for a finding: a command to run, or something to do. */
export type Mend = { readonly command: string } | { readonly text: string };

/** One thing that `hostside doctor` says. */
export interface DoctorFinding {
  readonly level: "ok" | "advice" | "problem";
  readonly area: "machine" | "configuration" | "program" | "connection" | "sign-in" | "protocol" | "tools";
  /** The server that it is about. Absent: it is about the machine, or about all servers. */
  readonly server?: string | undefined;
  readonly what: string;
  readonly evidence?: readonly string[] | undefined;
  readonly mend?: Mend | undefined;
}

/** Makes the remedy that is a command of hostside about a server. */
export type RunFor = (command: string, serverId: string, ...more: readonly string[]) => Mend;

/** Commands that read the same files and the same typed server as this run does. */
export function createRunFor(options: GlobalOptions): RunFor {
  return (command, serverId, ...more) => ({
    command: shellLine(["hostside", command, ...more, ...fileWords(options), ...serverWords(serverId, options.typed)]),
  });
}

/** Groups items by a key, in their order. `Map.groupBy` needs Node 21. */
export function groupBy<T>(items: Iterable<T>, keyOf: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}
