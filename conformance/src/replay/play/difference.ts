import { cleanText, type JsonValue } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import { fitsPlaceholders } from "../masking/placeholders.ts";

/** Where what is asked is not what was recorded. */
export interface Difference {
  /** `arguments.path`, or `` for the whole. */
  readonly path: string;
  readonly recorded: string;
  readonly live: string;
}

type Maybe = JsonValue | undefined;

const longestQuote = 80;
const deepest = 200;

/**
 * The first difference, in the order of names; `undefined` when there is none. A placeholder of the
 * recorded one fits any text.
 */
export function firstDifference(recorded: Maybe, live: Maybe, path: readonly string[] = []): Difference | undefined {
  const differs = (): Difference => ({ path: path.join("."), recorded: quote(recorded), live: quote(live) });
  if (path.length > deepest) return differs();
  if (typeof recorded === "string")
    return typeof live === "string" && fitsPlaceholders(recorded, live)
      ? undefined
      : // A number may have been a secret.
        typeof live === "number" && fitsPlaceholders(recorded, String(live)) && recorded.includes("[secret:")
        ? undefined
        : differs();
  if (Array.isArray(recorded)) {
    if (!Array.isArray(live)) return differs();
    for (let index = 0; index < Math.max(recorded.length, live.length); index += 1) {
      const found = firstDifference(recorded[index], live[index], [...path, String(index)]);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (!isJsonObject(recorded)) return Object.is(recorded, live) || recorded === live ? undefined : differs();
  if (!isJsonObject(live)) return differs();
  for (const name of [...new Set([...Object.keys(recorded), ...Object.keys(live)])].toSorted()) {
    const found = firstDifference(memberOf(recorded, name), memberOf(live, name), [...path, name]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** How many members of one are not those of the other, for telling which of several is nearest. */
export function distance(recorded: Maybe, live: Maybe, depth = 0): number {
  if (depth > deepest || firstDifference(recorded, live) === undefined) return 0;
  if (!isJsonObject(recorded) || !isJsonObject(live)) return 1;
  const names = new Set([...Object.keys(recorded), ...Object.keys(live)]);
  return [...names].reduce((sum, name) => sum + distance(memberOf(recorded, name), memberOf(live, name), depth + 1), 0);
}

function memberOf(value: { readonly [name: string]: Maybe }, name: string): Maybe {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

function quote(value: Maybe): string {
  return value === undefined ? "nothing" : cleanText(JSON.stringify(value), longestQuote);
}
