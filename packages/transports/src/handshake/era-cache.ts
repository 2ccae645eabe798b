/** What was found out about a server. */
export interface EraVerdict {
  readonly era: "legacy" | "modern";
  /** For HTTP: which of its transports answered. */
  readonly channel?: "streamable" | "sse";
  /** Epoch milliseconds. */
  readonly foundAt: number;
}

/**
 * Remembers verdicts by a hash of the spec. Synchronous; a cache that throws breaks the connection
 * attempt.
 */
export interface EraCache {
  get(specHash: string): EraVerdict | undefined;
  set(specHash: string, verdict: EraVerdict): void;
  delete(specHash: string): void;
}

const mostEntries = 1000;

/** A cache in memory, with a bound: the oldest entry makes room for a new one. */
export function createEraCache(): EraCache {
  const verdicts = new Map<string, EraVerdict>();
  return {
    get: (specHash) => verdicts.get(specHash),
    set(specHash, verdict) {
      verdicts.delete(specHash);
      verdicts.set(specHash, verdict);
      const oldest = verdicts.size > mostEntries ? verdicts.keys().next().value : undefined;
      if (oldest !== undefined) verdicts.delete(oldest);
    },
    delete: (specHash) => void verdicts.delete(specHash),
  };
}
