import { cleanText } from "@hostside/core";
import type { Check, Finding, Level, Requirement } from "../engine/check.ts";
import { DriverFailure } from "./driver-link.ts";
import type { DriverFeature } from "./driver-protocol.ts";
import type { HostTarget } from "./host-target.ts";
import { hostVenues, type HostVenue } from "./host-venue.ts";
import { openStage, type Stage } from "./stage.ts";
import { NotOwed, Violation } from "./violation.ts";

/** What a scenario is about; `--level` runs a level and those before it. */
export const hostLevels = ["survive", "recover", "consistent", "hostile"] as const;

/** One of {@linkcode hostLevels}. */
export type HostLevel = (typeof hostLevels)[number];

/** A situation that a host is put in, as data and one function. */
export interface HostScenario {
  readonly area: HostLevel;
  /** Stable for ever; with the area before it and the venue after it, the id of a check. */
  readonly name: string;
  /** What a good host does, as a short sentence. */
  readonly title: string;
  /** Default `HOST`. `MUST`: the specification demands it, or a user is harmed otherwise. */
  readonly level?: Level;
  /** Where the specification says so; absent: it is a rule of this kit. */
  readonly source?: Pick<Requirement, "section" | "url">;
  readonly legal: readonly string[];
  readonly fix: string;
  readonly over: readonly HostVenue[];
  /** What a host must be able to do, besides what the venue needs. */
  readonly uses?: readonly DriverFeature[];
  /**
   * Resolves with what was seen when all was well; throws {@linkcode Violation} as soon as it is
   * not, {@linkcode NotOwed} where it does not apply.
   */
  readonly run: (stage: Stage) => Promise<string>;
}

/** The scenarios of an area, by their names. */
export function scenariosOf(
  area: HostLevel,
  scenarios: Readonly<Record<string, Omit<HostScenario, "area" | "name">>>,
): readonly HostScenario[] {
  return Object.entries(scenarios).map(([name, scenario]) => ({ area, name, ...scenario }));
}

/** The check that all others over a venue stand on. */
const firstOf = (venue: HostVenue): string => `survive/lists-and-calls/${venue}`;

/** One check for each venue of a scenario. */
export function checksOf(scenario: HostScenario): readonly Check<HostTarget>[] {
  const { area, name, title, level = "HOST", source, legal, fix, over } = scenario;
  const anchor = { section: `the host scenarios: ${area}`, url: `${docs}#${area}` };
  return over.map((venue) => {
    const id = `${area}/${name}/${venue}`;
    return {
      id,
      title: `${title} (${venue})`,
      level,
      requirement: { sentence: `${title}.`, ...(source ?? anchor) },
      legal,
      fix,
      ...(id !== firstOf(venue) && { needs: [firstOf(venue)] }),
      run: (target, { signal, random }) => runScenario(scenario, { target, venue, signal, random }),
    };
  });
}

const docs = "https://github.com/hostside/hostside/blob/main/docs/reference/host-driver.md";

interface Run {
  readonly target: HostTarget;
  readonly venue: HostVenue;
  readonly signal: AbortSignal;
  readonly random: () => number;
}

async function runScenario({ run, uses = [] }: HostScenario, { target, venue, signal, random }: Run): Promise<Finding> {
  const missing = [...hostVenues[venue].uses, ...uses].find((feature) => !target.hello.features.includes(feature));
  if (missing !== undefined)
    return { status: "not-applicable", reason: `the driver does not name the feature ${missing}` };
  const stage = await openStage(target, { venue, random });
  signal.addEventListener("abort", () => void stage.leave(), { once: true });
  try {
    return { status: "pass", observed: cleanText(await run(stage), 500) };
  } catch (error) {
    if (error instanceof NotOwed) return { status: "not-applicable", reason: error.message };
    // The driver answers for its host: a host that does not settle is a driver that does not
    // answer.
    if (!(error instanceof Violation || error instanceof DriverFailure)) throw error;
    return { status: "fail", observed: cleanText(error.message, 1000), trace: stage.trace() };
  } finally {
    await stage.leave();
  }
}
