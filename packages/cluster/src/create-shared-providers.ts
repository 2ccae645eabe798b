import type { ServerSharing, ServerSpec } from "@hostside/core";
import {
  assertKnownOptions,
  assertReason,
  assertSignal,
  compareText,
  createEvent,
  quoteText,
  sharingOf,
  type Fields,
} from "@hostside/core/implement";
import { none, plus } from "./capacity.ts";
import { createPoolCore } from "./create-pool-core.ts";
import type { Owner } from "./entry.ts";
import { readSharedOptions } from "./pool-options.ts";
import type { LeaseOptions } from "./provider-pool.ts";
import { assertFits } from "./capacity-errors.ts";
import { configOf, readServers, type ServerConfig } from "./server-config.ts";
import type {
  ConversationKey,
  ConversationLease,
  SharedEvent,
  SharedOwner,
  SharedProviders,
  SharedProvidersOptions,
  SharedStatus,
  SharedTarget,
} from "./shared-providers.ts";
import type { LeaseRequest } from "./lease-request.ts";

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
  const settings = readSharedOptions(options);
  const { make } = options;
  const events = createEvent<SharedEvent>();
  const readSets = (servers: readonly ServerSpec[]): SharedSets => {
    const read = setsOf(readServers(servers));
    // What nobody has is not made: it takes no place.
    const takes = sharings.map((sharing) => read.configs[sharing]).filter((config) => config.servers.length > 0);
    assertFits("a conversation", takes.map((config) => config.takes).reduce(plus, none), settings.limits);
    return read;
  };
  let sets = readSets(options.servers ?? []);
  const core = createPoolCore(
    {
      settings,
      make: (owner, servers, signal) => make({ ...labelOf(owner), servers, signal }),
      config: ({ sharing }) => sets.configs[sharing],
      hasEmpty: false,
      hasMoved: (id, { sharing }) => (sets.sharingOf.get(id) ?? sharing) !== sharing,
      tell: (owner, what) => events.emit({ ...what, ...labelOf(owner) }),
    },
    () => events.close(),
  );
  const shutdownAll = (reason = "client shutdown"): Promise<void> => core.shutdownAll(reason);
  return {
    async lease(key, request = {}) {
      const read = readKey("lease()", key);
      return core.obtain(requestOf(read), readSignal(request), (found): ConversationLease => {
        const release = core.hold(found.map(({ entry }) => entry));
        const providers = found.map(({ provider }) => provider);
        return { ...read, providers, release, [Symbol.dispose]: release };
      });
    },
    async dispose(target, reason = "disposed") {
      const whose = readTarget(target);
      assertReason(reason);
      return core.dispose(whose, reason);
    },
    shutdownAll,
    updateConfig(servers) {
      core.assertOpen();
      sets = readSets(servers);
      core.changed();
    },
    statuses: () =>
      core
        .statuses()
        .map(({ owner, status }): SharedStatus => ({ ...labelOf(owner), ...status }))
        .sort(byOwner),
    onEvent: events.on,
    [Symbol.asyncDispose]: () => shutdownAll(),
  };
}

interface SharedSets {
  readonly configs: Readonly<Record<ServerSharing, ServerConfig>>;
  readonly sharingOf: ReadonlyMap<string, ServerSharing>;
}

function setsOf(servers: readonly ServerSpec[]): SharedSets {
  const configFor = (sharing: ServerSharing): ServerConfig =>
    configOf(
      servers.filter((spec) => sharingOf(spec) === sharing),
      sharing === "shared",
    );
  return {
    configs: {
      shared: configFor("shared"),
      principal: configFor("principal"),
      conversation: configFor("conversation"),
    },
    sharingOf: new Map(servers.map((spec) => [spec.id, sharingOf(spec)])),
  };
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

function readTarget(target: SharedTarget): string | ((owner: Owner) => boolean) {
  if ("conversation" in Object(target)) {
    const { conversation, principal } = readKey("dispose()", target as ConversationKey);
    return ownerOf("conversation", { principal, conversation }).id;
  }
  assertKnownOptions("dispose()", target, keyFields);
  const { principal } = target;
  assertText("principal", principal);
  return (owner) => owner.sharing !== "shared" && owner.principal === principal;
}

function assertText(name: string, text: unknown): asserts text is string {
  if (typeof text !== "string" || text === "") throw new TypeError(`${name} must be a text that is not empty`);
}

interface OwnerInit {
  readonly principal?: string | undefined;
  readonly conversation?: string | undefined;
}

// As JSON no two are alike, whatever their texts have in them.
function ownerOf(sharing: ServerSharing, { principal, conversation }: OwnerInit): Owner {
  const id = JSON.stringify([sharing, principal ?? null, conversation ?? null]);
  return { id, title: titleOf(sharing, { principal, conversation }), sharing, principal, conversation };
}

function titleOf(sharing: ServerSharing, { principal, conversation }: OwnerInit): string {
  const whose = principal === undefined ? "nobody in particular" : `principal ${quoteText(principal)}`;
  if (sharing === "shared") return "all";
  return conversation === undefined ? whose : `conversation ${quoteText(conversation)} of ${whose}`;
}

/** That of all, that of the principal, that of the conversation. */
function requestOf({ principal, conversation }: ReadKey): LeaseRequest {
  const own = ownerOf("conversation", { principal, conversation });
  return { owners: [ownerOf("shared", {}), ownerOf("principal", { principal }), own], principal, title: own.title };
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

function readSignal(request: LeaseOptions): AbortSignal | undefined {
  assertKnownOptions("lease()", request, requestFields);
  if (request.signal !== undefined) assertSignal(request.signal);
  return request.signal;
}
