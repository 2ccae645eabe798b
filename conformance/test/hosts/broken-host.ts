import type { Connection, Connector, ServerSpec } from "@hostside/core";
import type { ConnectionHooks } from "@hostside/core/implement";
import { createConnector, type ConnectorOptions } from "@hostside/transports";
import type { DriverLink } from "../../src/host/driver-link.ts";
import { localDriver } from "../../src/host/local-driver.ts";
import type { DriverHost } from "../../src/host/serve-driver.ts";
import { spawnDriver } from "../../src/host/spawn-driver.ts";
import {
  createReferenceHost,
  describeHostsideError,
  referenceFeatures,
  type ReferenceHostOptions,
} from "../../src/host/reference-host.ts";

/** A host that is wrong in one way: Hostside, with one thing replaced. */
export type BrokenHost = BrokenHostInProcess | BrokenHostProgram;

/** Played in the process of the tests. */
export interface BrokenHostInProcess extends AnyBrokenHost {
  readonly make: () => DriverHost;
}

/** A program, for what is seen of a process from outside. */
export interface BrokenHostProgram extends AnyBrokenHost {
  readonly command: readonly string[];
}

interface AnyBrokenHost {
  readonly id: string;
  /** What is wrong with it, for the table. */
  readonly wrong: string;
  /**
   * Where it is played: over HTTP, which needs no processes, or over stdio, for what is about
   * processes.
   */
  readonly venue: "http" | "stdio";
  /** The scenarios that it fails in this venue, without the venue; all others it passes. */
  readonly fails: readonly string[];
}

/** Starts the driver of a broken host. */
export function startBroken(broken: BrokenHost): DriverLink {
  if ("command" in broken) return spawnDriver(broken.command);
  const hello = { name: broken.id, version: "0", features: referenceFeatures };
  return localDriver({ hello, host: broken.make(), describeError: describeHostsideError });
}

/** Hostside with some verbs replaced; each is given the right ones. */
export function withVerbs(replace: (host: Required<DriverHost>) => Partial<DriverHost>): () => DriverHost {
  return () => {
    const host = createReferenceHost() as Required<DriverHost>;
    return { ...host, ...replace(host) };
  };
}

/** What a connection can be given in place of its own. */
export interface ConnectorFaults {
  readonly hooks?: (hooks: ConnectionHooks) => ConnectionHooks;
  readonly connection?: (connection: Connection) => Partial<Connection>;
  readonly connect?: (spec: ServerSpec, right: () => Promise<Connection>) => Promise<Connection>;
}

/** A connector some of whose parts are replaced. */
export function breakConnector(right: Connector, faults: ConnectorFaults): Connector {
  const { hooks = (same) => same, connection = () => ({}), connect = (_, go) => go() } = faults;
  return {
    async connect(spec, given, signal) {
      const made = await connect(spec, () => right.connect(spec, hooks(given), signal));
      return { ...made, ...connection(made) };
    },
  };
}

/** The connector of a host some of whose parts are replaced. */
export function faultyConnector(faults: ConnectorFaults): NonNullable<ReferenceHostOptions["connector"]> {
  return (options) => breakConnector(createConnector(options), faults);
}

/** Hostside over a connector some of whose parts are replaced. */
export function withConnector(faults: () => ConnectorFaults): () => DriverHost {
  return () => createReferenceHost({ connector: faultyConnector(faults()) });
}

/** Hostside that does HTTP in another way. */
export function withFetch(fetch: NonNullable<ConnectorOptions["fetch"]>): () => DriverHost {
  return () => createReferenceHost({ connector: (options) => createConnector({ ...options, fetch }) });
}
