import { HostsideError, type Connection, type RequestSeam, type ServerSpec } from "@hostside/core";
import { assertKnownOptions, compareText, quoteText, untilAborted } from "@hostside/core/implement";
import type { ApplyOptions, ApplyResult, McpProvider, UserOperationOptions } from "../api/mcp-provider.ts";
import { applyFields, assertServerId, endFields, readOptions, userFields } from "../api/operation-options.ts";
import { asOperation, registrationEndedError, toHostsideError } from "../errors/to-hostside-error.ts";
import { hasSession, type Demand } from "../link/link-state.ts";
import type { Session } from "../link/sessions.ts";
import { withoutHold } from "../saved/read-saved-catalog.ts";
import { addServer, register, renewedError, updateSpec } from "./add-server.ts";
import { bringUp } from "./bring-up.ts";
import type { Lend, ProviderContext } from "./server-set.ts";
import { readSpec, readSpecs } from "./read-specs.ts";
import { whileUserWaits, type Registration } from "./registration.ts";

/** The operations on servers while a provider is in use. */
export type ServerOperations = Pick<
  McpProvider,
  | "addServer"
  | "registerServer"
  | "applyServers"
  | "removeServer"
  | "disconnectServer"
  | "updateServer"
  | "refreshServer"
  | "clearCredentials"
  | "credentialsChanged"
  | "connection"
>;

/** Makes the operations. */
export function createServerOperations(parts: ProviderContext, lend: Lend): ServerOperations {
  const { serverSet, settings, assertOpen } = parts;
  const { connector, principal, requestSeam: seam } = settings;
  const find = (operation: string, id: string): Registration => {
    assertOpen();
    assertServerId(operation, id);
    return serverSet.require(id);
  };
  const disconnect = async (
    registration: Registration,
    error: HostsideError,
    refusal?: HostsideError,
  ): Promise<void> => {
    registration.link.disconnect(error, refusal);
    registration.queue.rejectWaiting(error);
    await serverSet.draining.left(registration);
  };

  return {
    async addServer(spec, options) {
      assertOpen();
      await addServer(spec, readOptions("addServer", options, userFields), parts);
    },
    registerServer(spec) {
      assertOpen();
      register(spec, parts);
    },
    async applyServers(specs, options = {}) {
      assertOpen();
      return applyServers(specs, readOptions("applyServers", options, applyFields), parts);
    },
    async removeServer(id, options = {}) {
      assertOpen();
      assertServerId("removeServer", id);
      const { drainMs, reason } = readOptions("removeServer", options, endFields);
      const registration = serverSet.get(id);
      if (registration === undefined) return false;
      await serverSet.end(registration, { error: registrationEndedError(id, "was removed", reason), drainMs });
      return true;
    },
    async disconnectServer(id) {
      await disconnect(find("disconnectServer", id), registrationEndedError(id, "was disconnected"));
    },
    async updateServer(given, givenOptions) {
      assertOpen();
      const options = readOptions("updateServer", givenOptions, userFields);
      const spec = readSpec(given, connector);
      const { registration, isWanted } = updateSpec(find("updateServer", spec.id), spec, { serverSet });
      // With nothing to restart there may still be an update under way that another caller made;
      // this one ends with it.
      if (isWanted) await reach(registration, "ready", { ...options, operation: "updateServer" });
    },
    async refreshServer(id, givenOptions) {
      const options = readOptions("refreshServer", givenOptions, userFields);
      const registration = find("refreshServer", id);
      await reach(registration, "refresh", { ...options, operation: "refreshServer" });
    },
    async clearCredentials(id) {
      await clearCredentials(find("clearCredentials", id), { serverSet, disconnect, connector, principal });
    },
    async credentialsChanged(id, options = {}) {
      assertKnownOptions("credentialsChanged()", options, { signedOut: true });
      const registration = find("credentialsChanged", id);
      if (options.signedOut === true) await signOut(registration, { serverSet, disconnect });
      else renew(registration);
    },
    async connection(id, givenOptions): Promise<Connection> {
      const options = readOptions("connection", givenOptions, userFields);
      const registration = find("connection", id);
      return lend(registration, await connect(registration, options, seam));
    },
  };
}

/** Gets another session where there is one, or where a sign-in was missing; waits for nothing. */
function renew(registration: Registration): void {
  const { id, link } = registration;
  const { state } = link;
  if (registration.saved !== undefined) registration.saved = withoutHold(registration.saved);
  // An attempt that is under way may have begun with what was there before.
  if (hasSession(state) || state.kind === "connecting") return link.renew(renewedError(id));
  // The status says what comes of it.
  if (state.kind === "needs-auth") link.untilReady("refresh").catch(() => undefined);
}

interface SignOutParts extends Pick<ProviderContext, "serverSet"> {
  readonly disconnect: (registration: Registration, error: HostsideError, refusal?: HostsideError) => Promise<void>;
}

type ClearParts = SignOutParts & Pick<ProviderContext["settings"], "connector" | "principal">;

async function clearCredentials(
  registration: Registration,
  { serverSet, disconnect, connector, principal }: ClearParts,
): Promise<void> {
  const { id, link } = registration;
  if (registration.saved !== undefined) registration.saved = withoutHold(registration.saved);
  const error = registrationEndedError(id, "was disconnected, because its credentials were cleared");
  // The session first, so that it renews nothing; and once more, for one that was opened meanwhile
  // with what is being forgotten.
  const { session } = link.state;
  await Promise.all([disconnect(registration, error), serverSet.draining.cut(id)]);
  try {
    await connector.clearCredentials?.(link.spec, { principal });
  } catch (reason) {
    throw toHostsideError(reason, id, "clearCredentials");
  } finally {
    const now = serverSet.get(id);
    if (now !== undefined && (now !== registration || link.state.session !== session)) await disconnect(now, error);
  }
}

async function signOut(registration: Registration, { serverSet, disconnect }: SignOutParts): Promise<void> {
  const { id } = registration;
  if (registration.saved !== undefined) registration.saved = withoutHold(registration.saved);
  const error = registrationEndedError(id, "was disconnected, because its user signed out");
  const message = `nobody is signed in to ${quoteText(id)}: its user signed out; sign in again`;
  const refusal = new HostsideError(message, { code: "auth_required", serverId: id, outcome: "not-sent" });
  await Promise.all([disconnect(registration, error, refusal), serverSet.draining.cut(id)]);
}

/** A session that is there costs its server nothing, and needs no seam. */
function connect(
  registration: Registration,
  options: UserOperationOptions,
  seam: RequestSeam | undefined,
): Promise<Session> {
  const { id, link } = registration;
  const open = (): Promise<Session> => reach(registration, "call", { ...options, operation: "connection" });
  if (seam === undefined || link.current() !== undefined) return open();
  return seam({ serverId: id, method: "initialize", signal: options.signal }, open);
}

function reach(
  registration: Registration,
  demand: Demand,
  { operation, signal, interactive }: UserOperationOptions & { readonly operation: string },
): Promise<Session> {
  const asked = { serverId: registration.id, operation, signal };
  return asOperation(asked, () =>
    whileUserWaits(registration, interactive, () => registration.link.untilReady(demand, signal)),
  );
}

/**
 * See `McpProvider.applyServers`. The set is changed before this returns; what is waited for is
 * what comes of it.
 */
async function applyServers(
  specs: readonly ServerSpec[],
  options: ApplyOptions,
  parts: ProviderContext,
): Promise<ApplyResult> {
  const { serverSet, settings, assertOpen } = parts;
  const { signal, interactive, timeoutMs } = options;
  const { connector, naming } = settings;
  if (!Array.isArray(specs)) throw new TypeError("applyServers() takes an array of specs");
  const change = changeSet(readSpecs(specs, connector, naming), options, parts);
  const plan = { registrations: change.wanted, demand: "ready", operation: "applyServers" } as const;
  const failures = await bringUp({ ...plan, signal, interactive, timeoutMs }, parts);
  const gone = Promise.all(change.gone);
  await asOperation({ operation: "applyServers", signal }, () => (signal ? untilAborted(gone, signal) : gone));
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
  { serverSet }: ProviderContext,
): SetChange {
  const kept = new Map(specs.map((spec) => [spec.id, spec]));
  const added: string[] = [];
  const updated: string[] = [];
  const removed: string[] = [];
  const unchanged: string[] = [];
  const wanted: Registration[] = [];
  const gone: Promise<void>[] = [];
  serverSet.showing.together(() => {
    for (const registration of serverSet.all()) {
      const { id } = registration;
      if (kept.has(id)) continue;
      removed.push(id);
      gone.push(serverSet.end(registration, { error: registrationEndedError(id, "was removed", reason), drainMs }));
    }
    for (const spec of Array.from(kept.values()).sort((a, b) => compareText(a.id, b.id))) {
      const old = serverSet.get(spec.id);
      if (old === undefined) {
        added.push(spec.id);
        wanted.push(serverSet.add(spec));
        continue;
      }
      const { registration, difference, isWanted } = updateSpec(old, spec, { serverSet, drainMs, reason });
      if (registration !== old) gone.push(serverSet.draining.left(old));
      // Who added it alone would take it back if it failed, and now it is part of this set.
      else if (registration.provisional) serverSet.settle(registration);
      (difference === "none" ? unchanged : updated).push(spec.id);
      if (isWanted) wanted.push(registration);
    }
  });
  return { result: { added, updated, removed, unchanged }, wanted, gone };
}

const defaultDrainMs = 5000;
