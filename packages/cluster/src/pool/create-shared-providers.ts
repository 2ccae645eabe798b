import { assertServerSpec, HostsideError, type ServerSharing, type ServerSpec } from "@hostside/core";
import {
  assertKnownOptions,
  assertReason,
  assertSignal,
  compareText,
  copySpec,
  kindOf,
  quoteText,
  sharingOf,
  type Fields,
} from "@hostside/core/implement";
import { assertFits, none, plus } from "./capacity.ts";
import { createServerConfig, type Owner, type ServerConfig } from "./entries.ts";
import { Pool, type SharedSets } from "./pool.ts";
import { readPoolOptions, type PoolSettings } from "./pool-options.ts";
import type {
  ConversationKey,
  ConversationLease,
  LeaseOptions,
  SharedOwner,
  SharedProviders,
  SharedProvidersOptions,
  SharedTarget,
} from "./shared-providers.ts";
import type { LeaseRequest } from "./wait-queue.ts";

const requestFields: Fields<LeaseOptions> = { signal: true };
const keyFields: Fields<ConversationKey> = { conversation: true, principal: true };
const sharings: readonly ServerSharing[] = ["shared", "principal", "conversation"];

/**
 * Providers for conversations that share connections where they may: each server is in the provider
 * of all, of a principal or of a conversation, as its `sharing` says. Nothing is made before it is
 * wanted, and no timer runs while there is none.
 *
 * Throws a `TypeError` that names an option that cannot be used, `invalid_spec` for a server,
 * `duplicate_server` for two of one id, and `overloaded` for more servers than the bounds have room
 * for.
 *
 * @example
 * const shared = createSharedProviders({
 *   servers,
 *   make: ({ servers, principal }) => createProvider({ connector, servers, principal }),
 * });
 * using lease = await shared.lease({ principal: "ada", conversation: "42" });
 */
export function createSharedProviders(options: SharedProvidersOptions): SharedProviders {
  const settings = readPoolOptions(options);
  const pool = new Pool(settings, options.make, readSets(options.servers ?? [], settings));
  const shutdownAll = (reason = "client shutdown"): Promise<void> => {
    assertReason(reason);
    return pool.shutDown(reason);
  };
  return {
    async lease(given, request = {}) {
      const key = readKey("lease()", given);
      assertKnownOptions("lease()", request, requestFields);
      if (request.signal !== undefined) assertSignal(request.signal);
      return pool.obtain(requestOf(key), request.signal, (found, providers): ConversationLease => {
        const release = pool.hold(found);
        return { ...key, providers, release, [Symbol.dispose]: release };
      });
    },
    async dispose(target, reason = "disposed") {
      const isFor = readTarget(target);
      assertReason(reason);
      return pool.dispose(isFor, reason);
    },
    shutdownAll,
    updateConfig(servers) {
      pool.assertOpen();
      pool.update(readSets(servers, settings));
    },
    statuses: () => pool.statuses().toSorted(byOwner),
    onEvent: pool.events.on,
    [Symbol.asyncDispose]: () => shutdownAll(),
  };
}

function readSets(servers: readonly ServerSpec[], { limits }: PoolSettings): SharedSets {
  const specs = readServers(servers);
  const configFor = (sharing: ServerSharing): ServerConfig =>
    createServerConfig(
      specs.filter((spec) => sharingOf(spec) === sharing),
      sharing,
    );
  const configs = {
    shared: configFor("shared"),
    principal: configFor("principal"),
    conversation: configFor("conversation"),
  };
  // A provider without servers is not made, and takes no place.
  const made = Object.values(configs).filter((config) => config.servers.length > 0);
  assertFits(made.map(({ takes }) => takes).reduce(plus, none), limits);
  return { configs, sharingOf: new Map(specs.map((spec) => [spec.id, sharingOf(spec)])) };
}

/** Copies the specs; throws for what is no list of servers, each with an id of its own. */
function readServers(servers: readonly ServerSpec[]): readonly ServerSpec[] {
  if (!Array.isArray(servers)) throw new TypeError(`servers must be an array of specs, not ${kindOf(servers)}`);
  const ids = new Set<string>();
  return servers.map((spec: ServerSpec) => {
    assertServerSpec(spec);
    const { id } = spec;
    const message = `server ${quoteText(id)} is in the set twice`;
    if (ids.has(id)) throw new HostsideError(message, { code: "duplicate_server", serverId: id });
    ids.add(id);
    return copySpec(spec);
  });
}

type Key = { readonly conversation: string; readonly principal?: string };

function readKey(operation: string, key: ConversationKey): Key {
  assertKnownOptions(operation, key, keyFields);
  const { conversation, principal } = key;
  assertText("conversation", conversation);
  if (principal === undefined) return { conversation };
  assertText("principal", principal);
  return { conversation, principal };
}

function readTarget(target: SharedTarget): (owner: Owner) => boolean {
  if ("conversation" in Object(target)) {
    const own = ownerOf({ sharing: "conversation", ...readKey("dispose()", target as ConversationKey) });
    return ({ id }) => id === own.id;
  }
  assertKnownOptions("dispose()", target, keyFields);
  const { principal } = target;
  assertText("principal", principal);
  return ({ label }) => label.sharing !== "shared" && label.principal === principal;
}

function assertText(name: string, text: unknown): asserts text is string {
  if (typeof text !== "string" || text === "") throw new TypeError(`${name} must be a text that is not empty`);
}

function ownerOf(label: SharedOwner): Owner {
  const { sharing, principal, conversation } = label;
  const whose = principal === undefined ? "nobody in particular" : `principal ${quoteText(principal)}`;
  const own = conversation === undefined ? whose : `conversation ${quoteText(conversation)} of ${whose}`;
  // As JSON no two are alike, whatever their texts have in them.
  const id = JSON.stringify([sharing, principal ?? null, conversation ?? null]);
  return { id, title: sharing === "shared" ? "all" : own, label };
}

/** The provider of all, that of the principal and that of the conversation. */
function requestOf(key: Key): LeaseRequest {
  const { principal } = key;
  const own = ownerOf({ sharing: "conversation", ...key });
  const ofPrincipal = ownerOf({ sharing: "principal", ...(principal !== undefined && { principal }) });
  return { owners: [ownerOf({ sharing: "shared" }), ofPrincipal, own], principal, title: own.title };
}

function byOwner(a: SharedOwner, b: SharedOwner): number {
  return (
    sharings.indexOf(a.sharing) - sharings.indexOf(b.sharing) ||
    compareText(a.principal ?? "", b.principal ?? "") ||
    compareText(a.conversation ?? "", b.conversation ?? "")
  );
}
