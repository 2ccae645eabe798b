import type { Interceptor, ToolCall, ToolDefinition, ToolOutcome } from "@hostside/core";
import {
  clock,
  assertKnownOptions,
  canonicalJson,
  formatMs,
  freezeData,
  type Fields,
  readWholeNumber,
} from "@hostside/core/implement";
import type { LRUCache } from "lru-cache";
import { tellApplied, type PolicyParts } from "../refuse.ts";
import { toolSubject } from "../rules/tool-subject.ts";
import { hasOutputProblems } from "../validation/create-validation.ts";

/**
 * Which results are kept, and for how long: at most 1,000, of 16 MiB together. Only those of tools
 * that are `pure` by what the policy knows of their effect, and only where the tool has a
 * fingerprint.
 */
export interface CacheOptions {
  /** How long a result is given again, in milliseconds. Default 60,000. */
  readonly ttlMs?: number | undefined;
}

/** The results of pure tools, given again. */
export interface ResultCache {
  readonly interceptor: Interceptor;
  /** Forgets all results: those of another server under the same id would be taken for the same. */
  clear(): void;
}

const fields: Fields<CacheOptions> = { ttlMs: true };
const max = 1000;
// Of all results and their keys, as JSON.
const maxSize = 16 * 1024 * 1024;
const bytesPerUnit = 2;

/**
 * Makes a cache. A result is found again by the registration of the server and the revision of its
 * spec, principal, role, conversation where the connection is its own, remote name, fingerprint,
 * and the canonical JSON of the arguments and of `meta`. It is a frozen copy, so that nobody can
 * change it for the next. Never kept: what a server answers whose requests carry more of their
 * caller (`perCaller`), what the tool calls an error, what does not fit its output schema, and what
 * is no JSON. Calls that are the same and under way together each run: one that gives up must not
 * take the others with it.
 */
export function createResultCache(options: CacheOptions, parts: PolicyParts): ResultCache {
  assertKnownOptions("cache", options, fields);
  const ttlMs = readWholeNumber(options.ttlMs, "cache.ttlMs", { least: 1, otherwise: 60_000 });
  // Loaded by the first call: most policies keep nothing.
  const open = async (): Promise<LRUCache<string, { readonly outcome: ToolOutcome; readonly at: number }>> => {
    const library = await import("lru-cache");
    return new library.LRUCache({ max, maxSize, ttl: ttlMs, ttlResolution: 0, perf: timeOf() });
  };
  let opening: ReturnType<typeof open> | undefined;
  // What began before everything was forgotten must not bring it back.
  let generation = 0;
  return {
    async interceptor(call, next) {
      const isPure = toolSubject(call.definition, call.server, parts).effect === "pure";
      const key = isPure ? keyOf(call) : undefined;
      if (key === undefined) return next(call);
      const begunIn = generation;
      const kept = await (opening ??= open());
      const found = kept.get(key);
      if (found !== undefined) {
        const age = formatMs(Math.round(clock.now() - found.at));
        tellApplied(call, { stage: "cache", reason: `answered with a result that is ${age} old` }, parts);
        return found.outcome;
      }
      const outcome = await next(call);
      const copy = copyOf(outcome);
      if (copy !== undefined && begunIn === generation) {
        const size = (key.length + copy.length) * bytesPerUnit;
        kept.set(key, { outcome: copy.outcome, at: clock.now() }, { size });
      }
      return outcome;
    },
    clear() {
      generation += 1;
      opening = undefined;
    },
  };
}

/**
 * `undefined` for a call whose result is not kept: the tool may be another one tomorrow, the answer
 * may depend on more than the key has, or the arguments are no JSON.
 */
function keyOf({ origin, definition, server, args, options }: ToolCall): string | undefined {
  const fingerprint = fingerprintOf(definition);
  if (fingerprint === undefined || server?.perCaller === true) return undefined;
  const { registration = null, revision = null, sharing } = server ?? {};
  const { principal = null, role = null, conversation = null } = options.context ?? {};
  const whose = [principal, role, sharing === "conversation" ? conversation : null];
  const what = [origin.serverId, registration, revision, origin.toolName, fingerprint];
  try {
    return canonicalJson([...whose, ...what, args, options.meta ?? null]);
  } catch (error) {
    // Nested too deep to be told from others; the call itself is none the worse.
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

function fingerprintOf({ fingerprint }: ToolDefinition): string | undefined {
  return fingerprint === "" ? undefined : fingerprint;
}

function copyOf(outcome: ToolOutcome): { readonly outcome: ToolOutcome; readonly length: number } | undefined {
  if (outcome.isError || hasOutputProblems(outcome)) return undefined;
  try {
    const text = JSON.stringify(outcome);
    return { outcome: freezeData(JSON.parse(text) as ToolOutcome), length: text.length };
  } catch (error) {
    // What is no JSON, or too deep, is given as it is and not kept.
    if (error instanceof TypeError || error instanceof RangeError) return undefined;
    throw error;
  }
}

// The library takes a time of 0 for none.
function timeOf(): { now(): number } {
  const start = clock.now();
  return { now: () => clock.now() - start + 1 };
}
