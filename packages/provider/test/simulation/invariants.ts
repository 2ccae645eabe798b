import { isHostsideError, type ToolDefinition } from "@hostside/core";
import type { ServerStatus } from "@hostside/provider";
import type { ApplyResult } from "../../src/api/mcp-provider.ts";
import { calmId, playedIds } from "./program.ts";
import type { Run } from "./run.ts";
import { isPartOf, readSnapshot, sameTools, type ShownTools } from "./snapshot.ts";
import { checkMistaken, checkSelected, checkUnasked } from "./saved-invariants.ts";
import { codeOf, hold } from "./hold.ts";
import { claimOf, doesAdd, doesRemove, mayInterrupt, type Operation } from "./tracked-operations.ts";

/** What has to hold, and when. Each check throws an `Error` that says what does not. */
export interface Invariants {
  /** After every step. */
  check(): void;
  /** After `init()`, when nothing else was asked for. */
  checkUnasked(): void;
  /** When nothing can happen before time passes. */
  checkQuiet(): void;
  /** After a refresh while every server is well. */
  checkCaughtUp(): void;
  /** After the provider has closed. */
  checkClosed(): void;
}

type Check = (statuses: readonly ServerStatus[]) => void;

/** Watches a run from its start. */
export function createInvariants(run: Run): Invariants {
  const { provider, world } = run;
  const checks: readonly Check[] = [
    () => checkProcesses(run),
    () => checkCloses(run),
    () => checkTurns(run),
    createSnapshotCheck(run),
    createWholenessCheck(run),
    createEventCheck(run),
    () => checkDeadlines(run),
    () => checkExecutions(run),
    () => checkCuts(run),
    () => checkSelected(run),
    () => checkMistaken(run),
    () => checkAdditions(run),
    () => checkRegistrations(run),
    () => checkAppliedSet(run),
    () => checkForgotten(run),
    () => checkGone(run),
    createCalmCheck(run),
  ];
  return {
    check() {
      const statuses = provider.statuses();
      for (const check of checks) check(statuses);
    },
    checkUnasked() {
      checkUnasked(run);
    },
    checkQuiet() {
      checkSessions(run);
      checkStaleness(run);
      checkLeftovers(run);
      for (const { serverId, label, callId, abort } of run.operations.pending) {
        hold(serverId !== calmId, () => `${label} waits, though its server is well`);
        const isGivenUp = callId !== undefined && abort?.signal.aborted === true;
        hold(!isGivenUp, () => `${label} waits, though its caller has given up`);
      }
    },
    checkCaughtUp() {
      for (const status of provider.statuses()) {
        if (status.state === "disabled") continue;
        hold(status.state === "ready" && !status.stale, () => `${status.id} is ${describe(status)} after a refresh`);
        const shown = readSnapshot(provider).get(status.id) ?? new Map();
        hold(sameTools(shown, toolsOf(run, status.id)), () => `${status.id} does not show its tools after a refresh`);
      }
    },
    checkClosed() {
      hold(world.clock.pending === 0, () => `${world.clock.pending} timers are left after close`);
      hold(provider.tools().length === 0 && provider.groups().length === 0, () => "tools are left after close");
      for (const server of world.servers.values()) {
        hold(server.processes === 0, () => `a process of ${server.id} is left after close`);
        hold(server.expired === 0, () => `a session with ${server.id} is left after close`);
      }
    },
  };
}

function checkProcesses({ world }: Run): void {
  for (const { id, processes } of world.servers.values()) {
    hold(processes === 0 || processes === 1, () => `${id} has ${processes} processes`);
  }
}

/** Processes are exactly the sessions that the provider knows of. */
function checkSessions({ world, provider }: Run): void {
  const states = new Map(provider.statuses().map((status) => [status.id, status.state]));
  for (const server of world.servers.values()) {
    const state = states.get(server.id);
    if (state === "connecting" || server.expired > 0 || server.draining > 0) continue;
    const live = state === "ready" || (state === "needs-auth" && server.sessions.size === 1);
    hold(server.processes === (live ? 1 : 0), () => `${server.id} is ${state}, and has ${server.processes} processes`);
  }
}

/** A session is closed for a reason: somebody asked for it, or its tools could not be listed. */
function checkCloses({ world, operations, program, closing }: Run): void {
  if (closing.value || program.idle) return;
  for (const { id, healthyCloses, failedListings, mistaken } of world.servers.values()) {
    const asked = operations.all.filter(
      (operation) => mayInterrupt(operation, id) || operation.renews === id || operation.adds === id,
    );
    // Signing out ends a session twice: before and after.
    const again = operations.all.filter(({ clears }) => clears === id);
    hold(
      healthyCloses <= asked.length + again.length + failedListings + mistaken,
      () => `${id} lost a session that was well, for no reason`,
    );
  }
}

/** Time that a server waits for its turn is not held against it. */
function checkTurns({ world }: Run): void {
  for (const { id, cutShort } of world.servers.values()) {
    hold(cutShort === 0, () => `a start of ${id} was given up as too slow before its turn had come`);
  }
}

/** Nothing is kept of what has come to an end. */
function checkLeftovers({ provider, operations }: Run): void {
  if (operations.pending.size > 0) return;
  for (const { id, inFlight, waiting } of provider.statuses()) {
    hold(
      inFlight === 0 && waiting === 0,
      () => `${id} holds places for ${inFlight} and ${waiting} calls that are over`,
    );
  }
}

/** A server that is said to be up to date is. */
function checkStaleness(run: Run): void {
  const snapshot = readSnapshot(run.provider);
  for (const { id, state, stale, degraded } of run.provider.statuses()) {
    // What was saved holds for as long as its server said, whatever becomes of the server.
    if ((run.program.saved === "holding" || run.program.saved === "other") && run.world.servers.get(id)?.listings === 0)
      continue;
    if (state !== "ready" || stale || degraded !== undefined || run.world.servers.get(id)?.sessions.size !== 1)
      continue;
    hold(sameTools(snapshot.get(id) ?? new Map(), toolsOf(run, id)), () => `${id} is not stale, and shows old tools`);
  }
}

/**
 * What is shown of a server is what it had at some time, and never older than what was shown
 * before.
 */
function createSnapshotCheck({ provider, world, operations }: Run): Check {
  const lastVersions = new Map<string, number>();
  const removals = new Map<string, number>();
  let lastRevision = 0;
  let lastDefinitions: readonly ToolDefinition[] = provider.tools();
  return (statuses) => {
    const snapshot = readSnapshot(provider);
    const offering = new Set(statuses.flatMap(({ id, state }) => (state === "disabled" ? [] : [id])));
    const degraded = new Set(statuses.flatMap(({ id, degraded: reason }) => (reason === undefined ? [] : [id])));
    for (const { id, history } of world.servers.values()) {
      const shown: ShownTools = snapshot.get(id) ?? new Map();
      const removed = operations.all.filter((operation) => doesRemove(operation, id)).length;
      // What comes after a removal is another registration.
      if (removed !== (removals.get(id) ?? 0)) lastVersions.delete(id);
      removals.set(id, removed);
      const last = lastVersions.get(id);
      if (!offering.has(id)) {
        hold(shown.size === 0, () => `tools of ${id} are shown, though it offers none`);
        lastVersions.delete(id);
      } else if (shown.size > 0 || last !== undefined) {
        const fits = degraded.has(id) ? isPartOf : sameTools;
        const version = Array.from(history.keys()).find((v) => v >= (last ?? 0) && fits(shown, history.get(v)));
        hold(version !== undefined, () => `${id} shows tools that it did not have since version ${last ?? 0}`);
        lastVersions.set(id, version ?? 0);
      }
    }
    const definitions = provider.tools();
    hold(provider.revision >= lastRevision, () => "the revision went back");
    hold(
      definitions === lastDefinitions || provider.revision > lastRevision,
      () => "the tools changed, and the revision did not",
    );
    lastRevision = provider.revision;
    lastDefinitions = definitions;
  };
}

/** A listing that ended early never takes the place of a whole one. */
function createWholenessCheck({ operations }: Run): Check {
  const whole = new Map<string, number>();
  return (statuses) => {
    for (const { id, state, degraded, listMs } of statuses) {
      // What comes after one of these may be another registration.
      const changes = operations.all.filter((operation) => mayInterrupt(operation, id)).length;
      // Of this time: what was saved gives way to any listing.
      if (degraded === undefined && state === "ready" && listMs !== undefined) whole.set(id, changes);
      hold(
        degraded === undefined || whole.get(id) !== changes,
        () => `${id} shows a part of its tools, and had them all`,
      );
    }
  };
}

/** Whoever listens knows what whoever looks sees; and after close nothing is heard. */
function createEventCheck({ provider, closing }: Run): Check {
  const names = new Set(provider.tools().map(({ name }) => name));
  const states = new Map<string, ServerStatus["state"]>();
  const late: string[] = [];
  provider.onToolsChanged(({ added, removed, changed }) => {
    if (closing.value) late.push("toolsChanged");
    for (const name of added) hold(!names.has(name), () => `${name} was added twice`);
    for (const name of [...removed, ...changed]) hold(names.has(name), () => `${name} changed, and was not there`);
    for (const name of added) names.add(name);
    for (const name of removed) names.delete(name);
  });
  provider.onStatusChanged(({ id, state }) => {
    if (closing.value) late.push("statusChanged");
    states.set(id, state);
  });
  return (statuses) => {
    hold(late.length === 0, () => `events after close: ${late.join(", ")}`);
    if (closing.value) return;
    const shown = provider.tools();
    hold(
      shown.length === names.size && shown.every(({ name }) => names.has(name)),
      () => "events and definitions differ",
    );
    for (const { id, state } of statuses) {
      const reported = states.get(id) ?? state;
      hold(
        reported === state || reported === "removed",
        () => `${id} is ${state}, and was last said to be ${reported}`,
      );
    }
  };
}

/** Whatever was asked for comes to an end in its time. */
function checkDeadlines({ operations, world, human }: Run): void {
  const now = world.clock.now();
  for (const { label, startedAt, withinMs, serverId } of operations.pending) {
    if (serverId !== undefined && human.isAnswering(serverId)) continue;
    const allowedMs = withinMs + (serverId === undefined ? 0 : human.answeredMs(serverId));
    hold(now - startedAt <= allowedMs, () => `${label} takes longer than ${allowedMs} ms`);
  }
}

/** A call runs at most once, and says truly whether it ran. */
function checkExecutions({ operations, world }: Run): void {
  for (const operation of operations.all) {
    const { callId, serverId, label } = operation;
    if (callId === undefined || serverId === undefined) continue;
    const runs = world.servers.get(serverId)?.ledger.get(callId) ?? 0;
    hold(runs <= 1, () => `${label} ran ${runs} times`);
    const claim = claimOf(operation);
    hold(claim !== "ran" || runs === 1, () => `${label} has a result, and did not run`);
    hold(claim !== "not-sent" || runs === 0, () => `${label} is said not to have been sent, and ran`);
  }
}

/**
 * A call is cut short by what ends its server's session, and by nothing else; and none outlives its
 * provider.
 */
function checkCuts({ operations, closing }: Run): void {
  if (closing.done) {
    for (const { label, callId } of operations.pending) {
      hold(callId === undefined, () => `${label} outlives its provider`);
    }
  }
  if (closing.value) return;
  for (const { callId, serverId = "", end, label, startedStep, endedAt } of operations.all) {
    if (callId === undefined || end === undefined || !("error" in end)) continue;
    if (!isCut(end.error)) continue;
    const wasSent = isHostsideError(end.error) && end.error.outcome !== "not-sent";
    const isMeant = operations.all.some(
      (operation) =>
        mayInterrupt(operation, serverId) &&
        (operation.endedStep === 0 || operation.endedStep > startedStep) &&
        (!wasSent || endedAt >= operation.startedAt + operation.drainMs),
    );
    hold(isMeant, () => `${label} was cut short, and nobody ended its session: ${String(end.error)}`);
  }
}

/** A server that is being added shows nothing before it is added. */
function checkAdditions({ operations, provider }: Run): void {
  for (const { adds, label, startedStep } of operations.pending) {
    if (adds === undefined) continue;
    // It became part of a set, whatever comes of it; or it was removed, and what is there under its
    // id was added after it.
    const isOver = (later: Operation): boolean => later.applies?.has(adds) === true || doesRemove(later, adds);
    if (operations.all.some((later) => later.startedStep > startedStep && isOver(later))) continue;
    hold(!readSnapshot(provider).has(adds), () => `${label} is under way, and tools are shown`);
  }
}

/** What was added is there until it is removed, and only a removal makes an add fail as removed. */
function checkRegistrations({ operations, provider, closing }: Run): void {
  if (closing.value) return;
  for (const { adds, end, startedStep, endedStep, label } of operations.all) {
    if (adds === undefined || end === undefined) continue;
    const since = (step: number, does: typeof doesRemove): boolean =>
      operations.all.some((other) => does(other, adds) && (other.startedStep > step || isSigningOut(other, step)));
    if ("value" in end) {
      hold(
        provider.hasServer(adds) || since(endedStep, doesRemove),
        () => `${label} succeeded, and the server is not there`,
      );
    } else if (codeOf(end.error) === "server_removed") {
      hold(since(startedStep, mayInterrupt), () => `${label} says that the server was removed, and nobody did`);
    } else if (codeOf(end.error) !== "duplicate_server") {
      hold(
        since(startedStep, doesAdd) || !provider.hasServer(adds),
        () => `${label} failed, and left the server behind`,
      );
    }
  }
}

// Signing out ends sessions as long as it goes on.
function isSigningOut({ clears, endedStep }: Operation, step: number): boolean {
  return clears !== undefined && (endedStep === 0 || endedStep > step);
}

/** The set of servers is the last one that was applied, and what was added and removed since. */
function checkAppliedSet({ operations, provider, closing }: Run): void {
  if (closing.value) return;
  const last = operations.all.findLast(({ applies }) => applies !== undefined);
  if (last?.applies === undefined) return;
  const since = operations.all.slice(operations.all.indexOf(last) + 1);
  for (const id of playedIds) {
    if (since.some((operation) => doesAdd(operation, id) || doesRemove(operation, id))) continue;
    const isThere = provider.hasServer(id);
    hold(isThere === last.applies.has(id), () => `${id} is ${isThere ? "" : "not "}there after ${last.label}`);
  }
}

/** When a removal is done, nothing is left of what it removed, whatever was under way on it. */
function checkGone({ operations, world, closing }: Run): void {
  if (closing.value) return;
  for (const operation of operations.all) {
    if (operation.end === undefined || !("value" in operation.end)) continue;
    for (const { id, open } of world.servers.values()) {
      if (!hasRemoved(operation.end.value, operation, id)) continue;
      const isLeft = Array.from(open).some(({ openedAt }) => openedAt < operation.startedAt);
      hold(!isLeft, () => `a session with ${id} is left after ${operation.label}`);
    }
  }
}

// What had gone before is nobody's.
function hasRemoved(value: unknown, { removes, applies }: Operation, id: string): boolean {
  if (removes === id) return value === true;
  return applies !== undefined && (value as ApplyResult).removed.includes(id);
}

/** Nobody is let in by what was forgotten. */
function checkForgotten({ operations, world }: Run): void {
  for (const { id, sessions } of world.servers.values()) {
    const cleared = operations.all.filter(({ clears, end }) => clears === id && end !== undefined && "value" in end);
    for (const session of sessions) {
      hold(session.forgotten >= cleared.length, () => `${id} has a session from before it was signed out of`);
    }
  }
}

/** Nothing that happens to other servers shows in a server that is left in peace. */
function createCalmCheck({ provider, world, operations, program, closing }: Run): () => void {
  let first: unknown;
  return () => {
    if (closing.value) return;
    const [definition] = provider.tools().filter(({ origin }) => origin?.serverId === calmId);
    first ??= definition;
    hold(definition === first, () => "the calm server's tool changed");
    const connects = world.servers.get(calmId)?.connects.started ?? 0;
    hold(connects <= 1 || program.idle, () => "the calm server was connected twice");
    for (const { serverId, end, label, abort } of operations.all) {
      if (serverId !== calmId || end === undefined || abort?.signal.aborted === true) continue;
      hold("value" in end, () => `${label} failed, though its server is well`);
    }
  };
}

function toolsOf({ world }: Run, id: string): ShownTools {
  return world.servers.get(id)?.tools ?? new Map();
}

function describe({ state, stale, error }: ServerStatus): string {
  return `${stale ? "stale and " : ""}${state}${error === undefined ? "" : ` (${error.message})`}`;
}

// The second is how a call ends whose session gives way to another one: it should have been waited
// for.
function isCut(error: unknown): boolean {
  if (codeOf(error) === "server_removed") return true;
  return isHostsideError(error, "connection_closed") && error.outcome === "unknown";
}
