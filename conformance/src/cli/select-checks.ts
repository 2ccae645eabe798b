import type { Check } from "../engine/check.ts";
import { findMeant, quoteText } from "@hostside/core/implement";

/**
 * Chooses by id (`stdio/stdout-purity`) or area (`stdio`). What a chosen check needs runs, too. A
 * choice that matches nothing is a mistake, because a run of no checks must never look like a pass.
 */
export function selectChecks<Target>(
  checks: readonly Check<Target>[],
  {
    only = [],
    skip = [],
  }: { readonly only?: readonly string[] | undefined; readonly skip?: readonly string[] | undefined },
): readonly Check<Target>[] | string {
  const unknown = [...only, ...skip].find((pattern) => !checks.some(({ id }) => matches(id, pattern)));
  if (unknown !== undefined) {
    const meant = checksMeant(
      unknown,
      checks.map(({ id }) => id),
    );
    return `no check matches ${JSON.stringify(unknown)}${meant}`;
  }
  const byId = new Map(checks.map((check) => [check.id, check]));
  const chosen = new Set<string>();
  const choose = (id: string): void => {
    if (chosen.has(id)) return;
    chosen.add(id);
    for (const need of byId.get(id)?.needs ?? []) choose(need);
  };
  for (const { id } of checks) {
    const wanted = only.length === 0 || only.some((pattern) => matches(id, pattern));
    if (wanted && !skip.some((pattern) => matches(id, pattern))) choose(id);
  }
  if (chosen.size === 0) return "--only and --skip leave no check to run";
  return checks.filter(({ id }) => chosen.has(id));
}

function matches(id: string, pattern: string): boolean {
  return id === pattern || id.startsWith(`${pattern}/`);
}

/**
 * The end of a message about a check that is not there: which one may be meant, by its id, its id
 * without the area, or its area; else how to see them all.
 */
export function checksMeant(wanted: string, ids: readonly string[]): string {
  const areas = new Set(ids.map((id) => id.split("/", 1)[0] ?? id));
  const meant = findMeant(wanted, [...ids, ...areas], (id) => {
    const name = id.slice(id.indexOf("/") + 1);
    return wanted.includes("/") ? [id] : [name, id];
  });
  return meant.length === 0
    ? "; --list shows them all"
    : `; did you mean ${meant.map((id) => quoteText(id)).join(" or ")}?`;
}
