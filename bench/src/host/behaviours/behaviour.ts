import type { CreateContender } from "../contender.ts";

/** Something that happens to a host, and what it makes of it. Runs in a process of its own. */
export interface Behaviour {
  readonly id: string;
  /** A column of the table. */
  readonly title: string;
  /** Resolves with what was seen, in a few words. */
  readonly run: (create: CreateContender) => Promise<string>;
}
