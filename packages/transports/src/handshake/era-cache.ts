/** What was found out about a server. */
export interface EraVerdict {
  readonly era: "legacy" | "modern";
  /** For HTTP: which of its transports answered. */
  readonly channel?: "streamable" | "sse";
  /** Epoch milliseconds. */
  readonly foundAt: number;
}

/** Remembers verdicts by fingerprint. Synchronous; a cache that throws breaks the connection attempt. */
export interface EraCache {
  get(fingerprint: string): EraVerdict | undefined;
  set(fingerprint: string, verdict: EraVerdict): void;
  delete(fingerprint: string): void;
}

const mostEntries = 1000;

/** A cache in memory, with a bound: the oldest entry makes room for a new one. */
export function createEraCache(): EraCache {
  const verdicts = new Map<string, EraVerdict>();
  return {
    get: (fingerprint) => verdicts.get(fingerprint),
    set(fingerprint, verdict) {
      verdicts.delete(fingerprint);
      verdicts.set(fingerprint, verdict);
      const oldest = verdicts.size > mostEntries ? verdicts.keys().next().value : undefined;
      if (oldest !== undefined) verdicts.delete(oldest);
    },
    delete: (fingerprint) => void verdicts.delete(fingerprint),
  };
}
