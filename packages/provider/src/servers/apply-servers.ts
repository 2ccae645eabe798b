import type { ServerSpec } from "@hostside/core";
import type { ApplyOptions, ApplyResult } from "../mcp-provider.ts";
import type { OperationParts } from "./add-server.ts";
import { bringUp } from "./bring-up.ts";
import { operationError, registrationEndedError } from "./operation-error.ts";
import { readSpecs } from "./read-specs.ts";
import type { Registration } from "./registration.ts";
import { updateSpec } from "./update-server.ts";

/**
 * See `McpProvider.applyServers`. The set is changed before this returns; what is waited for is
 * what comes of it.
 */
export async function applyServers(
  specs: readonly ServerSpec[],
  options: ApplyOptions,
  parts: OperationParts,
): Promise<ApplyResult> {
  const { serverSet, settings, assertOpen } = parts;
  const { signal, interactive, timeoutMs } = options;
  const { clock, connector, naming } = settings;
  if (!Array.isArray(specs)) throw new TypeError("applyServers() takes an array of specs");
  const change = changeSet(readSpecs(specs, connector, naming), options, parts);
  const failures = await bringUp({
    serverSet,
    registrations: change.wanted,
    clock,
    demand: "ready",
    operation: "applyServers",
    signal,
    interactive,
    timeoutMs,
  });
  await unlessAborted(Promise.all(change.gone), signal);
  assertOpen();
  const failed = failures
    .filter(({ registration }) => serverSet.get(registration.id) === registration)
    .map(({ registration: { id: serverId }, error }) => ({ serverId, error }));
  return { ...change.result, failed };
}

interface SetChange {
  readonly result: Omit<ApplyResult, "failed">;
  /** To be brought up. */
  readonly wanted: readonly Registration[];
  /** Each settles when nothing is left of something that ended. */
  readonly gone: readonly Promise<void>[];
}

/** Makes the set of servers this one, in one step. */
function changeSet(
  specs: readonly ServerSpec[],
  { drainMs = defaultDrainMs, reason }: ApplyOptions,
  { serverSet }: OperationParts,
): SetChange {
  const kept = new Map(specs.map((spec) => [spec.id, spec]));
  const added: string[] = [];
  const updated: string[] = [];
  const removed: string[] = [];
  const unchanged: string[] = [];
  const wanted: Registration[] = [];
  const gone: Promise<void>[] = [];
  serverSet.together(() => {
    for (const registration of serverSet.all()) {
      const { id } = registration;
      if (kept.has(id)) continue;
      removed.push(id);
      gone.push(serverSet.end(registration, { error: registrationEndedError(id, "was removed", reason), drainMs }));
    }
    for (const spec of Array.from(kept.values()).sort(byId)) {
      const old = serverSet.get(spec.id);
      if (old === undefined) {
        added.push(spec.id);
        wanted.push(serverSet.add(spec));
        continue;
      }
      const { registration, difference, isWanted } = updateSpec(old, spec, { serverSet, drainMs, reason });
      if (registration !== old) gone.push(serverSet.left(old));
      // Who added it alone would take it back if it failed, and now it is part of this set.
      else if (registration.provisional) serverSet.settle(registration);
      (difference === "none" ? unchanged : updated).push(spec.id);
      if (isWanted) wanted.push(registration);
    }
  });
  return { result: { added, updated, removed, unchanged }, wanted, gone };
}

const defaultDrainMs = 5000;

function byId({ id: a }: ServerSpec, { id: b }: ServerSpec): number {
  return a < b ? -1 : 1;
}

async function unlessAborted(work: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  let giveUp = (): void => {};
  const aborted = new Promise<void>((resolve) => {
    giveUp = resolve;
  });
  signal?.addEventListener("abort", giveUp, { once: true });
  await Promise.race([work, aborted]);
  signal?.removeEventListener("abort", giveUp);
  if (signal?.aborted) throw operationError(signal.reason, { operation: "applyServers", signal });
}
