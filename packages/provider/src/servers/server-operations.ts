import { ToolportError, type Connection, type ServerSpec } from "@toolport/core";
import type { Link } from "../link/link.ts";
import type { Demand } from "../link/link-event.ts";
import type { Session } from "../link/sessions.ts";
import type { McpProvider, UserOperationOptions } from "../mcp-provider.ts";
import type { ProviderSettings } from "../provider-options.ts";
import { checkId, readSpec } from "./read-specs.ts";
import { compareSpecs, type SpecDifference } from "./compare-specs.ts";
import { operationError } from "./operation-error.ts";
import { whileUserWaits, type Registration } from "./registration.ts";
import type { ServerSet } from "./server-set.ts";

/** What can be done to single servers while a provider is in use. */
export type ServerOperations = Pick<
  McpProvider,
  "addServer" | "removeServer" | "disconnectServer" | "updateServer" | "refreshServer" | "connection"
>;

/** What the operations need. */
export interface ServerOperationsInit {
  readonly serverSet: ServerSet;
  readonly settings: Pick<ProviderSettings, "connector" | "naming">;
  /** Throws when the provider is closed. */
  readonly assertOpen: () => void;
  /** What the product gets of a session. */
  readonly lend: (registration: Registration, session: Session) => Connection;
}

/** Makes the operations. */
export function createServerOperations({
  serverSet,
  settings: { connector, naming },
  assertOpen,
  lend,
}: ServerOperationsInit): ServerOperations {
  const find = (id: string): Registration => {
    assertOpen();
    const registration = serverSet.get(id);
    if (registration !== undefined) return registration;
    throw new ToolportError(`server ${JSON.stringify(id)} is not registered`, { code: "unknown_server", serverId: id });
  };

  const applyUpdate = (old: Registration, spec: ServerSpec, difference: SpecDifference): Registration => {
    if (difference === "session") return serverSet.replace(old, spec, removedError(spec.id, "was replaced"));
    if (difference !== "none") serverSet.respec(old, spec);
    if (difference === "credentials") old.link.renew(renewedError(spec.id));
    return old;
  };

  return {
    async addServer(given, { signal, interactive } = {}) {
      assertOpen();
      const spec = readSpec(given, connector);
      checkId(
        spec.id,
        serverSet.all().map(({ id }) => id),
        naming,
      );
      const registration = serverSet.add(spec, spec.disabled !== true);
      if (spec.disabled === true) return;
      try {
        await whileUserWaits(registration, interactive, () => registration.link.ready("ready", signal));
        assertRegistered(registration);
      } catch (reason) {
        // Ends this registration only: one that has taken its place meanwhile is not touched.
        await serverSet.end(registration, removedError(spec.id, "could not be added"));
        throw operationError(reason, { serverId: spec.id, operation: "addServer", signal });
      }
      serverSet.show([registration]);
      const unpublished = serverSet.unpublished(registration);
      if (unpublished === undefined) return;
      await serverSet.end(registration, removedError(spec.id, "could not be added"));
      throw unpublished;
    },
    async removeServer(id) {
      assertOpen();
      const registration = serverSet.get(id);
      if (registration === undefined) return false;
      await serverSet.end(registration, removedError(id, "was removed"));
      return true;
    },
    async disconnectServer(id) {
      const registration = find(id);
      const error = removedError(id, "was disconnected");
      registration.link.disconnect(error);
      registration.lane.rejectWaiting(error);
      await serverSet.left(registration);
    },
    async updateServer(given, options = {}) {
      assertOpen();
      const spec = readSpec(given, connector);
      const old = find(spec.id);
      const difference = compareSpecs(old.link.spec, spec);
      const registration = applyUpdate(old, spec, difference);
      if (spec.disabled === true) return;
      // With nothing to restart there may still be an update under way that another caller made; this one ends with it.
      if (difference !== "session" && difference !== "credentials" && !isOnItsWay(registration.link)) return;
      await reach(registration, "ready", { ...options, operation: "updateServer" });
    },
    async refreshServer(id, options = {}) {
      const registration = find(id);
      await reach(registration, "refresh", { ...options, operation: "refreshServer" });
      const unpublished = serverSet.unpublished(registration);
      if (unpublished !== undefined) throw unpublished;
    },
    async connection(id, options = {}): Promise<Connection> {
      const registration = find(id);
      return lend(registration, await reach(registration, "call", { ...options, operation: "connection" }));
    },
  };
}

async function reach(
  registration: Registration,
  demand: Demand,
  { operation, signal, interactive }: UserOperationOptions & { readonly operation: string },
): Promise<Session> {
  try {
    return await whileUserWaits(registration, interactive, () => registration.link.ready(demand, signal));
  } catch (reason) {
    throw operationError(reason, { serverId: registration.id, operation, signal });
  }
}

function isOnItsWay({ state }: Link): boolean {
  return state.kind === "connecting" || state.kind === "listing";
}

function assertRegistered({ link }: Registration): void {
  if (link.state.kind === "removed") throw link.state.error;
}

// The server is still there: a call that was about to go out on the old session goes out on the next one.
function renewedError(serverId: string): ToolportError {
  const message = `the session with ${JSON.stringify(serverId)} ended, because the server got other credentials`;
  return new ToolportError(message, { code: "connection_closed", serverId, outcome: "not-sent" });
}

function removedError(serverId: string, what: string): ToolportError {
  return new ToolportError(`server ${JSON.stringify(serverId)} ${what}`, { code: "server_removed", serverId });
}
