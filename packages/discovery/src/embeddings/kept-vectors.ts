import type { Clock, Diagnostic, Store } from "@hostside/core";
import { doStep } from "@hostside/core/implement";
import { endpointErrorText } from "./endpoint-health.ts";
import { readVector, writeVector, type ToolVector } from "./tool-vector.ts";

/**
 * Vectors in a store, for the next start and for other replicas. Never rejects: what cannot be read
 * is not there.
 */
export interface KeptVectors {
  /** By key, those that are kept; `dimensions` is what they must have, where that is known. */
  read(keys: readonly string[], dimensions: number | undefined): Promise<ReadonlyMap<string, ToolVector>>;
  write(vectors: ReadonlyMap<string, ToolVector>): Promise<void>;
}

/** What kept vectors are made from. */
export interface KeptVectorsInit {
  readonly store: Store | undefined;
  readonly ttlMs: number;
  readonly clock: Clock;
  readonly onDiagnostic: (diagnostic: Diagnostic) => void;
}

const prefix = "hostside-embedding:";
const stepMs = 5000;
// A store that is down is not asked for every tool again.
const restMs = 60_000;
const atOnce = 16;

/**
 * Keeps vectors in a store, if there is one. One that fails is let alone for a minute, and said to
 * have failed once until it works.
 */
export function createKeptVectors({ store, ttlMs, clock, onDiagnostic }: KeptVectorsInit): KeptVectors {
  let restsUntil = Number.NEGATIVE_INFINITY;
  let wasSaid = false;
  const failed = (error: unknown): void => {
    restsUntil = clock.now() + restMs;
    if (!wasSaid) onDiagnostic({ kind: "not-kept", serverId: "", message: `embeddings: ${endpointErrorText(error)}` });
    wasSaid = true;
  };
  const forEach = async (keys: Iterable<string>, step: (store: Store, key: string) => Promise<void>): Promise<void> => {
    const left = Array.from(keys);
    const work = async (): Promise<void> => {
      for (let key = left.pop(); key !== undefined; key = left.pop()) {
        if (store === undefined || clock.now() < restsUntil) return;
        await step(store, key);
        wasSaid = false;
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work)).catch(failed);
  };
  const limit = { clock, timeoutMs: stepMs };
  return {
    async read(keys, dimensions) {
      const found = new Map<string, ToolVector>();
      await forEach(keys, async (from, key) => {
        const stored = await doStep("reading an embedding", limit, () => from.get(prefix + key));
        const vector = readVector(stored, dimensions);
        if (vector !== undefined) found.set(key, vector);
      });
      return found;
    },
    write: (vectors) =>
      forEach(vectors.keys(), async (to, key) => {
        const vector = vectors.get(key);
        if (vector === undefined) return;
        await doStep("keeping an embedding", limit, () => to.set(prefix + key, writeVector(vector), ttlMs));
      }),
  };
}
