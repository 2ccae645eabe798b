import { cleanText } from "@hostside/core";
import type { OutcomeChange, RunComparison } from "../engine/compare-runs.ts";
import { exitCodes, type RunReport } from "../engine/run-report.ts";
import { codeSpan } from "./markdown-report.ts";
import { shortList } from "./outcome.ts";

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
  const { before, after, comparison } = runs;
  const { worse, better, other, added, missing } = comparison;
  const row = ({ checkId, evidence, fix, ...outcome }: OutcomeChange): string =>
    `| ${checkId} | ${outcome.before} → ${outcome.after} | ${inCell(evidence)} | ${inCell(fix)} |`;
  const table = (title: string, changes: readonly OutcomeChange[]): string =>
    changes.length === 0
      ? ""
      : [`### ${title}`, "", "| check | outcome | seen | fix |", "| --- | --- | --- | --- |", ...changes.map(row)].join(
          "\n",
        );
  const icon = comparison.exitCode === exitCodes.pass ? "✅" : "❌";
  const targets = [before.target, after.target];
  const sections = [
    `## ${icon} ${verdictOf(runs)}`,
    before.target === after.target
      ? ""
      : `The runs are of two targets: ${targets.map((one) => codeSpan(shorten(one))).join(", then ")}`,
    after.obstacle === undefined ? "" : `Nothing could be tested: ${codeSpan(shorten(after.obstacle.reason))}`,
    countsOf(runs),
    table("Worse", worse),
    table("Better", better),
    table("Otherwise different", other),
    table(
      "New checks that fail",
      added.filter((change) => change.after === "fail" || change.after === "advice"),
    ),
    missing.length === 0 ? "" : `Not run this time: ${shortList(missing, 20)}`,
  ];
  return `${sections.filter((section) => section !== "").join("\n\n")}\n`;
}

function inCell(text: string): string {
  return codeSpan(shorten(text)).replaceAll("|", String.raw`\|`);
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

function shorten(text: string): string {
  return cleanText(text.replaceAll(/\s+/g, " "), longest);
}
