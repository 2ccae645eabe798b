import { cleanText } from "@hostside/core";
import type { OutcomeChange, RunComparison } from "../engine/compare-runs.ts";
import { exitCodes, type RunReport } from "../engine/run-report.ts";
import { codeSpan } from "./markdown-report.ts";

/** Two runs and what is between them. */
export interface ComparedRuns {
  readonly before: RunReport;
  readonly after: RunReport;
  readonly comparison: RunComparison;
}

const longest = 300;

/**
 * The comparison as GitHub Markdown, for a terminal and for a comment on a pull request. Everything a
 * server said is in code spans.
 */
export function comparisonMarkdown(runs: ComparedRuns): string {
  const { after, comparison } = runs;
  const { worse, better, other, added, missing } = comparison;
  const row = ({ checkId, before, after: now, evidence, fix }: OutcomeChange): string =>
    `| ${checkId} | ${before} → ${now} | ${inCell(evidence)} | ${inCell(fix)} |`;
  const table = (title: string, changes: readonly OutcomeChange[]): string =>
    changes.length === 0
      ? ""
      : [`### ${title}`, "", "| check | outcome | seen | fix |", "| --- | --- | --- | --- |", ...changes.map(row)].join(
          "\n",
        );
  const icon = comparison.exitCode === exitCodes.pass ? "✅" : "❌";
  const targets = differentTargets(runs);
  const sections = [
    `## ${icon} ${verdictOf(runs)}`,
    targets === undefined
      ? ""
      : `The runs are of two targets: ${targets.map((one) => codeSpan(shorten(one))).join(", then ")}`,
    after.obstacle === undefined ? "" : `Nothing could be tested: ${codeSpan(shorten(after.obstacle.reason))}`,
    countsOf(runs),
    table("Worse", worse),
    table("Better", better),
    table("Otherwise different", other),
    table("New checks that fail", failing(added)),
    missing.length === 0 ? "" : `Not run this time: ${listed(missing)}`,
  ];
  return `${sections.filter((section) => section !== "").join("\n\n")}\n`;
}

function inCell(text: string): string {
  return codeSpan(shorten(text)).replaceAll("|", String.raw`\|`);
}

function differentTargets({ before, after }: ComparedRuns): readonly string[] | undefined {
  return before.target === after.target ? undefined : [before.target, after.target];
}

function failing(changes: readonly OutcomeChange[]): readonly OutcomeChange[] {
  return changes.filter(({ after }) => after === "fail" || after === "advice");
}

function verdictOf({ comparison: { worse, better, exitCode }, after }: ComparedRuns): string {
  if (after.obstacle !== undefined) return "WORSE: nothing could be tested";
  if (worse.length > 0) return exitCode === exitCodes.fail ? "WORSE" : "WORSE in what is advice";
  if (exitCode === exitCodes.incomplete) return "INCOMPLETE: checks were left out";
  return better.length > 0 ? "BETTER" : "SAME";
}

function countsOf({ before, after, comparison }: ComparedRuns): string {
  const { worse, better, remaining, added } = comparison;
  const kits = new Set([before, after].map(({ kit }) => kit.version));
  const kit = kits.size === 1 ? "" : ` (kits ${cleanText([...kits].join(" and "), 40)})`;
  return `${worse.length} worse, ${better.length} better, ${remaining.length} fail as before, ${added.length} new checks${kit}`;
}

function listed(ids: readonly string[]): string {
  const shown = ids.slice(0, 20).join(", ");
  return ids.length > 20 ? `${shown} and ${ids.length - 20} more` : shown;
}

function shorten(text: string): string {
  return cleanText(text.replaceAll(/\s+/g, " "), longest);
}
