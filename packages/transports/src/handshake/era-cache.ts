import type { ServerSpec } from "@hostside/core";
import { reachOf } from "@hostside/core/implement";

/** What was found out about a server. */
export interface EraVerdict {
  readonly era: "legacy" | "modern";
  /** For HTTP: which of its transports answered. */
  readonly channel?: "streamable" | "sse";
}

const mostEntries = 1000;
// Servers are updated; what was legacy yesterday may know 2026-07-28 today.
const longestTrustMs = 24 * 60 * 60 * 1000;

/**
 * Remembers verdicts in memory, for the life of a connector, by how a server is reached and with
 * which credentials. Nothing is remembered of a spec that names its era, or is a function.
 */
export class EraCache {
  readonly #verdicts = new Map<string, EraVerdict & { readonly foundAt: number }>();

  /** A verdict of the last 24 hours. */
  recall(spec: ServerSpec): EraVerdict | undefined {
    const found = this.#verdicts.get(keyOf(spec));
    return found === undefined || Date.now() - found.foundAt > longestTrustMs ? undefined : found;
  }

  remember(spec: ServerSpec, verdict: EraVerdict): void {
    const isNamed = spec.command !== undefined || spec.url !== undefined;
    if (!isNamed || (spec.era ?? "auto") !== "auto") return;
    this.forget(spec);
    this.#verdicts.set(keyOf(spec), { ...verdict, foundAt: Date.now() });
    const oldest = this.#verdicts.size > mostEntries ? this.#verdicts.keys().next().value : undefined;
    if (oldest !== undefined) this.#verdicts.delete(oldest);
  }

  forget(spec: ServerSpec): void {
    this.#verdicts.delete(keyOf(spec));
  }
}

function keyOf(spec: ServerSpec): string {
  return JSON.stringify(Object.entries(reachOf(spec)).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
