import type { AdmissionServer, ServerSpec } from "@toolport/core";

const described = new WeakMap<ServerSpec, AdmissionServer>();

/** A server in the host's own words, for whoever decides about its tools and requests; the same object for the same spec. */
export function describeServer(spec: ServerSpec): AdmissionServer {
  const known = described.get(spec);
  if (known !== undefined) return known;
  const { id, labels = {}, title } = spec;
  const server = Object.freeze({ id, labels, ...(title !== undefined && { title }) });
  described.set(spec, server);
  return server;
}
