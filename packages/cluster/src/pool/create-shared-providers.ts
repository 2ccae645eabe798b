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
 */
export function createSharedProviders(options: SharedProvidersOptions): SharedProviders {
  const settings = readPoolOptions(options);
  const { make } = options;
  const pool = new Pool({
    settings,
    make: (owner, servers, signal) => make({ ...labelOf(owner), servers, signal }),
    sets: readSets(options.servers ?? [], settings),
    labelOf,
  });
  const shutdownAll = (reason = "client shutdown"): Promise<void> => {
    assertReason(reason);
    return pool.shutDown(reason);
  };
  return {
    async lease(key, request = {}) {
      const read = readKey("lease()", key);
      assertKnownOptions("lease()", request, requestFields);
      if (request.signal !== undefined) assertSignal(request.signal);
      return pool.obtain(requestOf(read), request.signal, (found, providers): ConversationLease => {
        const release = pool.hold(found);
        return { ...read, providers, release, [Symbol.dispose]: release };
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
  // What nobody has is not made: it takes no place.
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
    if (ids.has(id))
      throw new HostsideError(`server ${quoteText(id)} is in the set twice`, {
        code: "duplicate_server",
        serverId: id,
      });
    ids.add(id);
    return copySpec(spec);
  });
}

interface ReadKey {
  readonly conversation: string;
  readonly principal?: string;
}

function readKey(operation: string, key: ConversationKey): ReadKey {
  assertKnownOptions(operation, key, keyFields);
  const { conversation, principal } = key;
  assertText("conversation", conversation);
  if (principal === undefined) return { conversation };
  assertText("principal", principal);
  return { conversation, principal };
}

function readTarget(target: SharedTarget): (owner: Owner) => boolean {
  if ("conversation" in Object(target)) {
    const mine = ownerOf("conversation", readKey("dispose()", target as ConversationKey));
    return ({ id }) => id === mine.id;
  }
  assertKnownOptions("dispose()", target, keyFields);
  const { principal } = target;
  assertText("principal", principal);
  return (owner) => owner.sharing !== "shared" && owner.principal === principal;
}

function assertText(name: string, text: unknown): asserts text is string {
  if (typeof text !== "string" || text === "") throw new TypeError(`${name} must be a text that is not empty`);
}

// As JSON no two are alike, whatever their texts have in them.
function ownerOf(sharing: ServerSharing, { principal, conversation }: Partial<ReadKey>): Owner {
  const id = JSON.stringify([sharing, principal ?? null, conversation ?? null]);
  const whose = principal === undefined ? "nobody in particular" : `principal ${quoteText(principal)}`;
  const own = conversation === undefined ? whose : `conversation ${quoteText(conversation)} of ${whose}`;
  return { id, title: sharing === "shared" ? "all" : own, sharing, principal, conversation };
}

/** The provider of all, that of the principal and that of the conversation. */
function requestOf(key: ReadKey): LeaseRequest {
  const { principal } = key;
  const own = ownerOf("conversation", key);
  const ofPrincipal = ownerOf("principal", principal === undefined ? {} : { principal });
  return { owners: [ownerOf("shared", {}), ofPrincipal, own], principal, title: own.title };
}

function labelOf({ sharing, principal, conversation }: Owner): SharedOwner {
  return {
    sharing,
    ...(principal === undefined ? {} : { principal }),
    ...(conversation === undefined ? {} : { conversation }),
  };
}

function byOwner(a: SharedOwner, b: SharedOwner): number {
  return (
    sharings.indexOf(a.sharing) - sharings.indexOf(b.sharing) ||
    compareText(a.principal ?? "", b.principal ?? "") ||
    compareText(a.conversation ?? "", b.conversation ?? "")
  );
}
