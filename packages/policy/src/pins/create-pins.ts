import type { AdmissionServer, JsonObject, ServerWords, ToolDefinition } from "@hostside/core";
import { clock } from "@hostside/core/implement";
import type { PolicyParts } from "../refuse.ts";
import type { IsNew } from "../rules/tool-subject.ts";
import type { ToolChange } from "../policy-event.ts";
import {
  isNewTool,
  judgePin,
  wordsName,
  type PinFacts,
  type PinKind,
  type PinnedTool,
  type PinVerdict,
} from "./judge-pin.ts";
import { createKnownEntries, createPinMemory, type KnownEntries, type PinMemory } from "./pin-memory.ts";
import { summarizeChanges } from "./diff-locks.ts";
import type { PinPlan } from "./pin-options.ts";
import { pinKey, pinKeysOf, type ToolPrint } from "./pin-record.ts";
import { hashWords } from "./tool-lock.ts";

/** A tool that was looked at, to be approved as it is. */
export interface ApprovedTool {
  readonly toolName: string;
  readonly fingerprint: string;
  /** The registration of its server. */
  readonly registration: string | undefined;
  /** For telling what changed when it is another one. */
  readonly entry: JsonObject | undefined;
  /** The words of its server about itself. */
  readonly words: ServerWords | undefined;
}

/** Which tools are the ones that somebody has seen. */
export interface Pins {
  /** Grows when a verdict may be another one. */
  readonly epoch: number;
  /**
   * Takes note of a tool that is being listed: of first uses, and of those that are to be told of.
   * Never throws.
   */
  note(definition: ToolDefinition, server: AdmissionServer | undefined): void;
  judge(definition: ToolDefinition, server: AdmissionServer | undefined): PinVerdict;
  readonly isNew: IsNew;
  /** Has the store read, if that has failed before and not a moment ago. Never throws. */
  read(): void;
  /** Lists what changed since the tool was pinned; `undefined` where that is not known. */
  changesOf(definition: ToolDefinition, server: AdmissionServer | undefined): readonly ToolChange[] | undefined;
  /**
   * Reads what was kept, if that has not worked yet, and waits for what is being kept. Rejects when
   * it cannot be read.
   */
  ready(): Promise<void>;
  /** Reads again what was kept, by other processes as well. */
  reload(): Promise<void>;
  /**
   * Approves tools, and what their server says of itself. Rejects, and changes nothing, when it
   * cannot be kept.
   */
  approve(serverId: string, tools: readonly ApprovedTool[]): Promise<void>;
  revoke(serverId: string, toolNames: readonly string[] | undefined): Promise<void>;
  /** Hears no more of other replicas. Idempotent. */
  close(): void;
}

/** The parts of pins. */
export interface PinsInit {
  readonly plan: PinPlan;
  readonly parts: PolicyParts;
  /** True if anything is decided by what the store has. It is read from then on. */
  readonly usesStore: boolean;
  /** Called when verdicts may be other ones: ask again. */
  readonly onChange: () => void;
}

// After a store that failed, this long until a listing has it asked again.
const retryMs = 5000;

/** Makes them, and begins to read what the store has. */
export function createPins({ plan, parts, usesStore, onChange }: PinsInit): Pins {
  let epoch = 0;
  const report = (part: string, error: unknown): void =>
    parts.emit({ type: "part-failed", at: clock.date(), part, error });
  const fail = (error: unknown): void => report("store", error);
  const memory = createPinMemory({
    ...parts,
    notices: usesStore ? parts.notices : undefined,
    onFailure: report,
    onChange() {
      epoch += 1;
      onChange();
    },
  });
  const entries = createKnownEntries(plan, memory);
  const reports = createPinReports(parts, async (serverId) => {
    for (const key of pinKeysOf(memory.record, serverId)) await entries.load(key).catch(fail);
  });
  const firstUses = createFirstUses({ parts, memory, entries, fail });
  const facts = (): PinFacts => ({ ...plan, record: memory.record, firstUse: firstUses.begun });
  const { read, done } = createReader(memory, fail);
  const tell: TellPins = (type, serverId, tools) => {
    const reason = `somebody ${type === "tools-approved" ? "approved" : "revoked"} ${countTools(tools.length)}`;
    parts.emit({ type, at: clock.date(), serverId, tools: tools.toSorted(), reason });
  };
  if (usesStore) read();
  return {
    get epoch() {
      return epoch + firstUses.epoch;
    },
    note(definition, server) {
      const tool = pinnedTool(definition, server);
      const { kind, held } = judgePin(tool, facts());
      const { serverId, key, toolName, fingerprint } = tool;
      const isFirst =
        parts.isNew !== undefined && kind === "free" && !plan.locks.has(serverId) && !memory.record?.has(key);
      if (kind === "unseen" || isFirst) firstUses.add(tool, definition.entry, server?.words);
      else if (kind === "unread") read();
      else if (!held) reports.passed(serverId, toolName);
      else
        reports.held(serverId, { toolName, kind, fingerprint, changes: () => entries.changesOf(definition, server) });
    },
    judge: (definition, server) => judgePin(pinnedTool(definition, server), facts()),
    isNew: (definition, server) => isNewTool(pinnedTool(definition, server), facts()),
    read,
    changesOf: (definition, server) => entries.changesOf(definition, server),
    async ready() {
      if (usesStore) await done();
      await memory.settle();
      await reports.settle();
    },
    async reload() {
      await done();
      await memory.load();
    },
    approve: (serverId, tools) => approveTools(tools, { serverId, memory, entries, tell, fail }),
    async revoke(serverId, toolNames) {
      const keys = pinKeysOf(memory.record, serverId);
      const known = keys.flatMap((key) => toolsOf(memory.record?.get(key)?.keys()));
      await memory.revoke(keys.length === 0 ? [serverId] : keys, toolNames, () =>
        tell("tools-revoked", serverId, toolNames ?? Array.from(new Set(known))),
      );
    },
    close: () => memory.close(),
  };
}

type TellPins = (type: "tools-approved" | "tools-revoked", serverId: string, tools: readonly string[]) => void;

interface ApproveInit extends Omit<FirstUsesInit, "parts"> {
  readonly serverId: string;
  readonly tell: TellPins;
}

/** Approves tools of a server, for the registration that each is of. */
async function approveTools(
  tools: readonly ApprovedTool[],
  { serverId, memory, entries, tell, fail }: ApproveInit,
): Promise<void> {
  for (const registration of new Set(tools.map((tool) => tool.registration))) {
    const key = pinKey(serverId, registration);
    const group = tools.filter((tool) => tool.registration === registration);
    const names = Array.from(new Set(group.map(({ toolName }) => toolName)));
    await memory.approve(key, group.flatMap(printsOf), () => {
      for (const { toolName, entry, words } of group) {
        entries.remember(key, toolName, entry);
        entries.remember(key, wordsName, words && { ...words });
      }
      tell("tools-approved", serverId, names);
    });
    entries.save(key, [...names, wordsName]).catch(fail);
  }
}

/** Reads the store once. */
function createReader(memory: PinMemory, fail: (error: unknown) => void) {
  let reading: Promise<void> | undefined;
  let retryAt = Number.NEGATIVE_INFINITY;
  const done = async (): Promise<void> => {
    reading ??= memory.load();
    try {
      await reading;
    } catch (error) {
      reading = undefined;
      retryAt = clock.now() + retryMs;
      throw error;
    }
  };
  return {
    /** Has it read, unless it has been, or failed a moment ago. */
    read: (): void => {
      if (reading === undefined && clock.now() >= retryAt) done().catch(fail);
    },
    /** Resolves when it has been read; tries again if that failed. */
    done,
  };
}

interface FirstUsesInit {
  readonly parts: PolicyParts;
  readonly memory: PinMemory;
  readonly entries: KnownEntries;
  readonly fail: (error: unknown) => void;
}

/** Makes what knows the servers that are seen for the first time. */
function createFirstUses({ parts, memory, entries, fail }: FirstUsesInit) {
  const begun = new Map<string, { readonly serverId: string; readonly tools: Map<string, string> }>();
  let epoch = 0;
  const endSoon = async (): Promise<void> => {
    // All that a server lists is asked about in one turn.
    await Promise.resolve();
    const ended = Array.from(begun);
    begun.clear();
    epoch += 1;
    for (const [key, { serverId, tools }] of ended) {
      memory.trust(key, tools);
      entries.save(key, tools.keys()).catch(fail);
      const names = toolsOf(tools.keys()).toSorted();
      const reason = `it is the first use of the server: ${countTools(names.length)} trusted as listed`;
      parts.emit({ type: "tools-trusted", at: clock.date(), serverId, tools: names, reason });
    }
  };
  return {
    begun,
    get epoch(): number {
      return epoch;
    },
    add(
      { serverId, key, toolName, fingerprint, words: said }: PinnedTool,
      entry: JsonObject | undefined,
      words: ServerWords | undefined,
    ): void {
      if (fingerprint === undefined) return;
      if (begun.size === 0) endSoon().catch(fail);
      const { tools } = begun.get(key) ?? { tools: new Map<string, string>() };
      begun.set(key, { serverId, tools: tools.set(toolName, fingerprint) });
      entries.remember(key, toolName, entry);
      if (said !== undefined) tools.set(wordsName, said);
      entries.remember(key, wordsName, words && { ...words });
      epoch += 1;
    },
  };
}

/** The fingerprints of a tool and of what its server says. */
function printsOf({ toolName, fingerprint, words }: ApprovedTool): readonly ToolPrint[] {
  const said = hashWords(words);
  return [[toolName, fingerprint], ...(said === undefined ? [] : [[wordsName, said] as const])];
}

/** Names of tools, without that of the server's words. */
function toolsOf(names: Iterable<string> = []): readonly string[] {
  return Array.from(names).filter((name) => name !== wordsName);
}

function countTools(count: number): string {
  return count === 1 ? "1 tool" : `${count} tools`;
}

function pinnedTool({ origin, name, fingerprint }: ToolDefinition, server: AdmissionServer | undefined): PinnedTool {
  const serverId = origin?.serverId ?? "";
  return {
    serverId,
    key: pinKey(serverId, server?.registration),
    toolName: origin?.toolName ?? name,
    fingerprint,
    version: server?.version,
    words: hashWords(server?.words),
  };
}

/** One tool that is held back, for a report. */
interface HeldPin {
  readonly toolName: string;
  readonly kind: PinKind;
  readonly fingerprint: string | undefined;
  /** Lists what changed, when the report is made. */
  readonly changes: () => readonly ToolChange[] | undefined;
}

// A server that lists ever new tools must not fill the memory.
const mostRemembered = 10_000;

/**
 * Makes what tells of tools that are held back: of one server and turn in one event, and of each
 * tool once. `prepare` is called once before a report with tools that changed, so that `changes`
 * has what it needs. It never rejects.
 */
function createPinReports(parts: PolicyParts, prepare: (serverId: string) => Promise<void>) {
  /** By server, of each tool in what way it was held back when that was told. */
  const known = new Map<string, Map<string, string>>();
  const waiting = new Map<string, Map<string, HeldPin>>();
  let telling: Promise<void> = Promise.resolve();

  const tell = async (serverId: string, pins: readonly HeldPin[]): Promise<void> => {
    const drifted = pins.filter(isDrifted);
    if (drifted.length > 0) await prepare(serverId);
    // What the server says of itself is a change of each of them.
    const all = drifted
      .flatMap((pin) => pin.changes() ?? [])
      .map((change) => [JSON.stringify(change), change] as const);
    const changes = Array.from(new Map(all).values());
    const changed = changes.length === 0 ? "" : ` (${summarizeChanges(changes)})`;
    parts.emit({
      type: drifted.length > 0 ? "tools-drifted" : "tools-held",
      at: clock.date(),
      serverId,
      tools: pins.map(({ toolName }) => toolName).sort(),
      reason: `${pins.length === 1 ? "1 tool is" : `${pins.length} tools are`} held back until approved${changed}`,
      ...(changes.length > 0 && { changes: changes.slice(0, 500) }),
    });
  };
  const flush = async (before: Promise<void>): Promise<void> => {
    // The rest of the listing is judged in this turn.
    await Promise.resolve();
    const batch = Array.from(waiting, ([serverId, pins]) => [serverId, Array.from(pins.values())] as const);
    waiting.clear();
    await Promise.allSettled([before, ...batch.map(([serverId, pins]) => tell(serverId, pins))]);
  };
  return {
    held(serverId: string, pin: HeldPin): void {
      const reported = entryOf(known, serverId);
      const way = `${pin.kind} ${pin.fingerprint}`;
      if (reported.get(pin.toolName) === way) return;
      if (reported.size >= mostRemembered) reported.clear();
      reported.set(pin.toolName, way);
      if (waiting.size === 0) telling = flush(telling);
      entryOf(waiting, serverId).set(pin.toolName, pin);
    },
    /** Notes that a tool is not held back now: when it is again, that is news. */
    passed: (serverId: string, toolName: string): void => void known.get(serverId)?.delete(toolName),
    /** Resolves when everything has been told. */
    settle: (): Promise<void> => telling,
  };
}

function entryOf<T>(all: Map<string, Map<string, T>>, key: string): Map<string, T> {
  const entry = all.get(key) ?? new Map<string, T>();
  all.set(key, entry);
  return entry;
}

function isDrifted({ kind }: HeldPin): boolean {
  return kind === "drifted" || kind === "other-words";
}
