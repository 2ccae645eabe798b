import type { Check } from "../../src/engine/check.ts";
import { checkHost } from "../../src/host/check-host.ts";
import { hostChecks } from "../../src/host/host-checks.ts";
import type { HostTarget } from "../../src/host/host-target.ts";
import { neighbourScenarios } from "../../src/host/scenarios/hostile.ts";
import { startBroken, type BrokenHost } from "./broken-host.ts";

// They move megabytes, or thousands of pages or tools, and say nothing that the others do not say
// of most broken hosts; those that fail one of them are put into it.
const heavy = [
  "survive/oversized-answer",
  "survive/stderr-flood",
  "hostile/many-tools",
  "hostile/notification-flood",
  "hostile/bottomless-schema",
  "consistent/endless-pages",
  "survive/decompression-bomb",
  ...neighbourScenarios.map(({ area, name }) => `${area}/${name}`),
];

/** What happened to a broken host. */
export interface Played {
  /** The scenarios that it failed, without the venue, sorted. */
  readonly failed: readonly string[];
  /** What kept a scenario from being judged. */
  readonly unjudged: readonly string[];
}

/**
 * Plays every scenario of its venue that is not heavy. What ends in another way than expected, or
 * is not judged, is looked at again, alone and with more patience, because many hosts are played at
 * once, and a busy machine makes good ones late: then scenarios that need the one that was late are
 * not played.
 */
export async function playBrokenHost(broken: BrokenHost): Promise<Played> {
  const end = `/${broken.venue}`;
  const nameOf = (id: string): string => id.slice(0, -end.length);
  const isExpected = ({ id }: { readonly id: string }): boolean => broken.fails.includes(nameOf(id));
  const checks = hostChecks.filter(
    ({ id }) => id.endsWith(end) && (!heavy.includes(nameOf(id)) || broken.fails.includes(nameOf(id))),
  );
  const first = await play(broken, checks, { concurrency: 5, patienceMs: 2500 });
  const isSettled = ({ id }: Check<HostTarget>): boolean =>
    first.failed.includes(id) === isExpected({ id }) && !first.unjudged.has(id);
  const doubtful = checks.filter((check) => !isSettled(check));
  const again =
    doubtful.length === 0
      ? nothing
      : await play(broken, doubtful.map(withoutNeeds), { concurrency: 1, patienceMs: 8000 });
  const settled = first.failed.filter((id) => isExpected({ id }));
  return {
    failed: [...settled, ...again.failed].map(nameOf).toSorted(),
    unjudged: Array.from(again.unjudged, ([id, reason]) => `${id}: ${reason}`),
  };
}

/** What one look found, by the ids of checks. */
interface Look {
  readonly failed: readonly string[];
  /** With the reasons. */
  readonly unjudged: ReadonlyMap<string, string>;
}

const nothing: Look = { failed: [], unjudged: new Map() };

async function play(
  broken: BrokenHost,
  checks: readonly Check<HostTarget>[],
  pace: { readonly concurrency: number; readonly patienceMs: number },
): Promise<Look> {
  const { results } = await checkHost({ start: () => startBroken(broken), name: broken.id, checks, ...pace });
  return {
    failed: results.flatMap(({ check, finding }) => (finding.status === "fail" ? [check.id] : [])),
    unjudged: new Map(
      results.flatMap(({ check, finding }) =>
        finding.status === "could-not-run" ? [[check.id, finding.reason] as const] : [],
      ),
    ),
  };
}

function withoutNeeds(check: Check<HostTarget>): Check<HostTarget> {
  return { ...check, needs: [] };
}
