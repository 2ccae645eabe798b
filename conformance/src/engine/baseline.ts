import { isJsonObject } from "@hostside/core/implement";
import type { CheckResult } from "./check.ts";

/** A failure that an author knows of and has decided to live with for a while. */
export interface BaselineEntry {
  readonly check: string;
  /** Why it is accepted; must not be blank. */
  readonly reason: string;
  /** Last day on which it counts, `YYYY-MM-DD`. */
  readonly expires: string;
}

/** What a baseline file holds. */
export interface Baseline {
  readonly entries: readonly BaselineEntry[];
}

/**
 * Reads a baseline: `{ "entries": [{ "check", "reason", "expires" }] }`.
 *
 * Throws `TypeError` that names the entry and the rule: unknown check, no reason, no date, or a
 * check that is there twice.
 */
export function parseBaseline(json: string, knownChecks: ReadonlySet<string>): Baseline {
  const value: unknown = parseJson(json);
  const entries = isJsonObject(value) ? value["entries"] : undefined;
  if (!Array.isArray(entries)) throw new TypeError('baseline: must be { "entries": [...] }');
  const seen = new Set<string>();
  return {
    entries: entries.map((entry: unknown, index) => {
      const where = `baseline: entries[${index}]`;
      if (!isJsonObject(entry)) throw new TypeError(`${where} must be an object`);
      const { check, reason, expires } = entry;
      if (typeof check !== "string" || !knownChecks.has(check))
        throw new TypeError(`${where}.check names an unknown check: ${JSON.stringify(check)}`);
      if (seen.has(check)) throw new TypeError(`${where}.check is there twice: ${check}`);
      if (typeof reason !== "string" || reason.trim() === "")
        throw new TypeError(`${where}.reason must say why ${check} is accepted`);
      if (typeof expires !== "string" || !isDay(expires))
        throw new TypeError(`${where}.expires must be a day such as 2030-12-31`);
      seen.add(check);
      return { check, reason, expires };
    }),
  };
}

/**
 * Results with the accepted failures marked, and the entries that are stale: expired, or about a
 * check that no longer fails.
 */
export interface BaselinedResults {
  readonly results: readonly CheckResult[];
  readonly stale: readonly string[];
}

/**
 * Applies a baseline. `today` is `YYYY-MM-DD`. An expired entry accepts nothing. Entries of checks
 * that did not run are left alone.
 */
export function applyBaseline(results: readonly CheckResult[], baseline: Baseline, today: string): BaselinedResults {
  const entries = new Map(baseline.entries.map((entry) => [entry.check, entry]));
  const stale: string[] = [];
  const marked = results.map((result) => {
    const entry = entries.get(result.check.id);
    if (entry === undefined) return result;
    if (entry.expires < today) {
      stale.push(`${entry.check}: expired on ${entry.expires}`);
      return result;
    }
    if (result.finding.status === "pass") stale.push(`${entry.check}: passes now; remove the entry`);
    return result.finding.status === "fail" ? { ...result, baselined: entry.reason } : result;
  });
  return { results: marked, stale };
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new TypeError(`baseline: not JSON: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));
}
