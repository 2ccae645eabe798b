import type { Cancel, Clock, Diagnostic } from "@hostside/core";
import { foldCase, quoteText } from "@hostside/core/implement";
import { localNameOf, type NameTable, type RefusedName, type SavedNames, type ToolIdentity } from "@hostside/naming";

/**
 * Agrees with other replicas on names, in a store that they share. Gets the names that tools would
 * have which are new here, and answers the names that hold, those that were there first in the
 * store; where one of the proposed names is another tool's there, it answers that, and is asked
 * once more with another proposal. Names that are proposed and not heard of in the answer are not
 * agreed on, and stand as they are. `signal` aborts when nobody waits any more.
 */
export type AgreeOnNames = (proposed: SavedNames, signal: AbortSignal) => Promise<SavedNames>;

/** Who waits for names that hold. */
export interface AgreementWait {
  readonly clock: Clock;
  /** Ends this wait, and what is asked if nobody else waits for it. */
  readonly signal?: AbortSignal | undefined;
  readonly report: (diagnostic: Diagnostic) => void;
}

/** What agreeing on names needs of the book. */
export interface AgreementInit {
  readonly agree: AgreeOnNames;
  readonly table: () => NameTable;
  /** The names that these tools would get, were these others given away. */
  readonly propose: (tools: readonly ToolIdentity[], taken: readonly string[]) => NameTable;
  /**
   * Takes over what it can of an answer; what it cannot comes back. Throws `invalid_names` for what
   * is none.
   */
  readonly adopt: (saved: unknown, tools: readonly ToolIdentity[]) => readonly RefusedName[];
}

/** Agreements that are being made. */
export interface Agreements {
  /**
   * Waits until these tools of one server have names that hold. `undefined`: they have. Never
   * rejects; afterwards they may still have none, and get one as if nobody had been asked.
   */
  reach(tools: readonly ToolIdentity[], wait: AgreementWait): Promise<void> | undefined;
}

/** How long an agreement may take, in milliseconds, before the names that were proposed stand. */
export const longestAgreementMs = 2000;

// Each round finds out who has a name. The second proposes hashes of identities, which are nobody
// else's unless somebody computed them.
const mostRounds = 4;

// One answer must not fill a log.
const mostReports = 50;

/** Nothing is asked so far. */
export function createAgreements(init: AgreementInit): Agreements {
  const open = new Map<string, Asking>();
  const outage = { wasReported: false };
  return {
    reach(tools, wait) {
      const table = init.table();
      const unnamed = tools.filter((tool) => localNameOf(table, tool) === undefined);
      if (unnamed.length === 0) return undefined;
      const fresh = unnamed.filter((tool) => !open.has(keyOf(tool)));
      if (fresh.length > 0) {
        const taken = Array.from(new Set(open.values())).flatMap(({ proposed }) => proposed);
        const asking = startAsking({ ...init, outage, tools: fresh, taken, wait });
        for (const tool of fresh) open.set(keyOf(tool), asking);
        void forgetWhenOver(asking, fresh.map(keyOf), open);
      }
      const askings = new Set(unnamed.flatMap((tool) => open.get(keyOf(tool)) ?? []));
      return waitForAll(Array.from(askings), wait.signal);
    },
  };
}

interface Asking {
  /** The names that are proposed now. */
  readonly proposed: readonly string[];
  /** Never rejects. */
  readonly over: Promise<void>;
  waiting: number;
  /** Nobody waits any more. */
  drop(): void;
}

interface AskingInit extends AgreementInit {
  readonly outage: { wasReported: boolean };
  readonly tools: readonly ToolIdentity[];
  /** Names that are proposed for other tools. */
  readonly taken: readonly string[];
  readonly wait: AgreementWait;
}

function startAsking(init: AskingInit): Asking {
  const { tools, taken, wait, propose, outage, agree } = init;
  const abort = new AbortController();
  let proposal = savedOf(propose(tools, taken), tools);
  let end = (): void => {};
  let cancel: Cancel = () => {};
  const over = new Promise<void>((resolve) => {
    end = () => {
      cancel();
      abort.abort();
      resolve();
    };
  });
  const standAsProposed = (why: string): void => {
    if (abort.signal.aborted) return;
    try {
      init.adopt(proposal, tools);
    } finally {
      reportOutage(init, why);
      end();
    }
  };
  cancel = wait.clock.schedule(longestAgreementMs, () =>
    standAsProposed(`nobody answered within ${longestAgreementMs} ms`),
  );
  const ask = async (): Promise<void> => {
    const foreign = [...taken];
    for (let round = 0; round < mostRounds; round += 1) {
      const answer: unknown = await agree(proposal, abort.signal);
      if (abort.signal.aborted) return;
      for (const refused of init.adopt(answer, tools).slice(0, mostReports)) wait.report(refusedName(refused));
      outage.wasReported = false;
      const names = init.table();
      for (const kept of keptNames(answer, tools, names).slice(0, mostReports)) wait.report(kept);
      const left = tools.filter((tool) => localNameOf(names, tool) === undefined);
      const others = ownersIn(answer, proposal, left);
      if (others.length === 0) break;
      foreign.push(...others);
      proposal = savedOf(propose(left, foreign), left);
    }
    init.adopt(proposal, tools);
    end();
  };
  void ask().catch((error: unknown) => standAsProposed(error instanceof Error ? error.message : "it threw"));
  return {
    get proposed() {
      return proposal.servers.flatMap(([, names]) => names.map(([, localName]) => localName));
    },
    over,
    waiting: 0,
    drop: () => end(),
  };
}

async function forgetWhenOver(asking: Asking, keys: readonly string[], open: Map<string, Asking>): Promise<void> {
  await asking.over;
  for (const key of keys) open.delete(key);
}

/**
 * The names of a proposal that the answer gives to other tools, for tools that are still without
 * one.
 */
function ownersIn(answer: unknown, proposal: SavedNames, left: readonly ToolIdentity[]): readonly string[] {
  const wanted = new Set(left.map(keyOf));
  const { owners } = readAnswer(answer);
  return proposal.servers.flatMap(([serverId, tools]) =>
    tools.flatMap(([toolName, name]) => {
      const key = keyOf({ serverId, toolName });
      const owner = owners.get(foldCase(name));
      return wanted.has(key) && owner !== undefined && owner !== key ? [name] : [];
    }),
  );
}

/**
 * What is to be said of tools that have names already, as those of a saved catalogue, where others
 * have other ones.
 */
function keptNames(answer: unknown, tools: readonly ToolIdentity[], table: NameTable): readonly Diagnostic[] {
  const { names, owners } = readAnswer(answer);
  return tools.flatMap((tool): Diagnostic[] => {
    const own = localNameOf(table, tool);
    if (own === undefined) return [];
    const { serverId, toolName } = tool;
    const say = (where: string): Diagnostic[] => {
      const message = `the tool is called ${quoteText(own)} here already, ${where}`;
      return [{ kind: "names-not-agreed", serverId, toolName, message }];
    };
    const agreed = names.get(keyOf(tool));
    if (agreed !== undefined) return agreed === own ? [] : say(`and ${quoteText(agreed)} in other replicas`);
    return owners.has(foldCase(own)) ? say("which is the name of another tool in other replicas") : [];
  });
}

/**
 * An answer that was found to be names: those of tools, and by name, with A to Z lower-cased, whose
 * they are.
 */
function readAnswer(answer: unknown): {
  readonly names: ReadonlyMap<string, string>;
  readonly owners: ReadonlyMap<string, string>;
} {
  const { servers } = answer as SavedNames;
  const pairs = servers.flatMap(([serverId, tools]) =>
    tools.map(([toolName, name]) => [keyOf({ serverId, toolName }), name] as const),
  );
  return { names: new Map(pairs), owners: new Map(pairs.map(([key, name]) => [foldCase(name), key])) };
}

async function waitForAll(askings: readonly Asking[], signal: AbortSignal | undefined): Promise<void> {
  for (const asking of askings) asking.waiting += 1;
  let leave = (): void => {};
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  signal?.addEventListener("abort", leave, { once: true });
  if (signal?.aborted === true) leave();
  await Promise.race([Promise.all(askings.map(({ over }) => over)), left]);
  signal?.removeEventListener("abort", leave);
  for (const asking of askings) {
    asking.waiting -= 1;
    if (asking.waiting === 0) asking.drop();
  }
}

function savedOf(names: NameTable, tools: readonly ToolIdentity[]): SavedNames {
  const servers = new Map<string, [string, string][]>();
  for (const tool of tools) {
    const localName = localNameOf(names, tool);
    if (localName === undefined) continue;
    const known = servers.get(tool.serverId) ?? [];
    servers.set(tool.serverId, known);
    known.push([tool.toolName, localName]);
  }
  return { version: 1, servers: Array.from(servers) };
}

// Once, until somebody answers again: an outage of the store concerns every listing.
function reportOutage({ outage, tools, wait }: AskingInit, why: string): void {
  if (outage.wasReported) return;
  outage.wasReported = true;
  const [first] = tools;
  if (first === undefined) return;
  const { serverId } = first;
  const message = `other replicas were not asked about new names, which stand as they are: ${quoteText(why, 200)}`;
  wait.report({ kind: "names-not-agreed", serverId, message });
}

function refusedName({ identity: { serverId, toolName }, localName, problem }: RefusedName): Diagnostic {
  const why = { illegal: "is not a legal name", reserved: "is a reserved name", taken: "is another tool's already" }[
    problem
  ];
  const message = `${quoteText(localName)}, which was agreed on, ${why}; the tool is called something else here`;
  return { kind: "names-not-agreed", serverId, toolName, message };
}

function keyOf({ serverId, toolName }: ToolIdentity): string {
  return JSON.stringify([serverId, toolName]);
}
