import type { AdmissionServer, ServerInfo, ServerSpec } from "@hostside/core";

const described = new WeakMap<ServerSpec, AdmissionServer>();

/**
 * A server in the host's own words, with the version that it says it has, for whoever decides about
 * its tools and requests; the same object for the same spec and version. `info` is absent while it
 * has not been listed.
 */
export function describeServer(spec: ServerSpec, info: Pick<ServerInfo, "version"> | undefined): AdmissionServer {
  const version = info?.version;
  const known = described.get(spec);
  if (known !== undefined && known.version === version) return known;
  const { id, labels = {}, title } = spec;
  const server = Object.freeze({
    id,
    labels,
    ...(title !== undefined && { title }),
    ...(version !== undefined && { version }),
  });
  described.set(spec, server);
  return server;
}
