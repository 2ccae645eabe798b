import type { LoadedConfig } from "@toolport/config/node";
import type { ServerSpec } from "@toolport/core";
import { credentialsOf } from "@toolport/core/implement";

/** What secrets are read from. */
export interface SecretSources {
  readonly config: LoadedConfig | undefined;
  readonly specs: readonly ServerSpec[];
}

/** Shorter ones would be found everywhere. */
const shortestSecret = 6;

/** The secrets that a host knows of its servers: those that its configuration took from variables, files and inputs, and the credentials that stand in the specs that are used. */
export function followSecrets(read: () => SecretSources): () => readonly string[] {
  let known: SecretSources & { readonly secrets: readonly string[] } = { config: undefined, specs: [], secrets: [] };
  return () => {
    const { config, specs } = read();
    if (config !== known.config || specs !== known.specs) {
      const secrets = new Set([...(config?.secrets ?? []), ...specs.flatMap(credentialsOf)]);
      known = { config, specs, secrets: Array.from(secrets).filter(({ length }) => length >= shortestSecret) };
    }
    return known.secrets;
  };
}
