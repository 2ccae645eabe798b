import type { AdmissionServer, ServerSpec } from "@hostside/core";
import { serverWords, sharingOf } from "@hostside/core/implement";
import { registrationOf } from "../saved/fingerprint-reach.ts";

type Info = { readonly [member in "version" | "name" | "title" | "description" | "instructions"]?: string | undefined };
type Known = Info & { readonly server: AdmissionServer };

const described = new WeakMap<ServerSpec, Known>();
let lastRevision = 0;

/**
 * A server in the host's own words, with the version that it says it has and what else it says of
 * itself, for whoever decides about its tools and requests; the same object for the same spec,
 * version and words. `info` is absent while it has not been listed.
 */
export function describeServer(spec: ServerSpec, info: Info | undefined): AdmissionServer {
  const { version, name, title: ownTitle, description, instructions } = info ?? {};
  const claimed = { version, name, title: ownTitle, description, instructions };
  const known = described.get(spec);
  if (known !== undefined && isSame(known, claimed) && (known.server.words === undefined) === (info === undefined))
    return known.server;
  const { id, labels = {}, title, perCaller } = spec;
  const revision = known?.server.revision ?? (lastRevision += 1);
  const server = Object.freeze({
    id,
    labels,
    ...(title !== undefined && { title }),
    ...(version !== undefined && { version }),
    ...(info !== undefined && { words: serverWords(claimed) }),
    // A hash, which most hosts never read.
    get registration() {
      return registrationOf(spec);
    },
    revision,
    sharing: sharingOf(spec),
    ...(perCaller !== undefined && { perCaller }),
  });
  described.set(spec, { ...claimed, server });
  return server;
}

function isSame(one: Info, other: Info): boolean {
  return (
    one.version === other.version &&
    one.name === other.name &&
    one.title === other.title &&
    one.description === other.description &&
    one.instructions === other.instructions
  );
}
