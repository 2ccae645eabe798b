import type { LoadedConfig } from "@hostside/config/node";
import type { ServerSpec } from "@hostside/core";
import { credentialsOf } from "@hostside/core/implement";

/** What secrets are read from. */
export interface SecretSources {
  readonly config: LoadedConfig | undefined;
  readonly specs: readonly ServerSpec[];
}

// A part of a credential may be short, and shorter ones would be found everywhere. A policy tells
// of what is short as a whole.
const shortestSecret = 6;

/**
 * The secrets that a host knows of its servers: those that its configuration took from variables,
 * files and inputs, and the credentials that stand in the specs that are used.
 */
export function followSecrets(read: () => SecretSources): () => readonly string[] {
  let known: SecretSources & { readonly secrets: readonly string[] } = { config: undefined, specs: [], secrets: [] };
  return () => {
    const { config, specs } = read();
    if (config !== known.config || specs !== known.specs) {
      const inSpecs = specs.flatMap(credentialsOf).filter(({ length }) => length >= shortestSecret);
      known = { config, specs, secrets: Array.from(new Set([...(config?.secrets ?? []), ...inSpecs])) };
    }
    return known.secrets;
  };
}
