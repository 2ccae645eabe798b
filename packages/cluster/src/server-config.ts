import { assertServerSpec, HostsideError, type ServerSpec } from "@hostside/core";
import { copySpec, kindOf, quoteText } from "@hostside/core/implement";
import { fingerprintServers } from "@hostside/provider";
import { capacityFor, type Capacity } from "./capacity.ts";

/** A set of servers that a provider has, or is to have. */
export interface ServerConfig {
  readonly servers: readonly ServerSpec[];
  readonly fingerprint: string;
  /** What a provider takes that has it. */
  readonly takes: Capacity;
}

/** A set of servers, and what it comes to. */
export function configOf(servers: readonly ServerSpec[], isShared: boolean): ServerConfig {
  return { servers, fingerprint: fingerprintServers(servers), takes: capacityFor(servers, isShared) };
}

/**
 * Copies of the specs. Throws a `TypeError` for what is no list, `invalid_spec`, and
 * `duplicate_server`.
 */
export function readServers(servers: readonly ServerSpec[]): readonly ServerSpec[] {
  if (!Array.isArray(servers)) throw new TypeError(`servers must be an array of specs, not ${kindOf(servers)}`);
  const copies = servers.map((spec: ServerSpec) => {
    assertServerSpec(spec);
    return copySpec(spec);
  });
  const ids = new Set<string>();
  for (const { id } of copies) {
    if (ids.has(id)) throw twiceError(id);
    ids.add(id);
  }
  return copies;
}

function twiceError(id: string): HostsideError {
  return new HostsideError(`server ${quoteText(id)} is in the set twice`, { code: "duplicate_server", serverId: id });
}
