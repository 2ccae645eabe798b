import type { RunReport } from "../engine/run-report.ts";
import { outcomeOf, splitAreas } from "./outcome.ts";

/**
 * The report as GitHub Markdown, for the summary of a CI job. Everything a server said is in code
 * spans.
 */
export function toMarkdown(report: RunReport): string {
  const { verdict, target, counts, obstacle, headlines, staleBaseline, unknownTools = [] } = report;
  const checks = new Map(report.results.map(({ check }) => [check.id, check]));
  const problems = [
    ...(obstacle ? [`- **${obstacle.kind}**: ${codeSpan(obstacle.reason)}`] : []),
    ...headlines.map(({ checkId, observed, fix, prevented }) =>
      [
        `- **${checkId}** (${checks.get(checkId)?.level}): ${codeSpan(observed)}`,
        `Expected: ${checks.get(checkId)?.title}.`,
        `Fix: ${fix}`,
        ...(prevented.length > 0 ? [`Prevents ${prevented.length} more.`] : []),
      ].join("<br>"),
    ),
    ...staleBaseline.map((entry) => `- **stale baseline**: ${codeSpan(entry)}`),
    ...unknownTools.map((name) => `- **no such tool**, named by --call: ${codeSpan(name)}`),
  ];
  const sections = [
    `## ${icons[verdict]} ${verdict.toUpperCase()}: ${codeSpan(target)}`,
    `${counts.passed} passed, ${counts.failed} failed, ${counts.advice} advice, ${counts.notApplicable} not applicable, ${counts.couldNotRun} could not run`,
    table(report),
    problems.join("\n"),
  ];
  return `${sections.filter((section) => section !== "").join("\n\n")}\n`;
}

const icons = { pass: "✅", fail: "❌", incomplete: "⚠️" } as const;

function table({ results, strict }: RunReport): string {
  const { owed, notApplicable } = splitAreas(results);
  const rows = owed.map(([area, ofArea]) => {
    const count = (...outcomes: readonly string[]): number =>
      ofArea.filter((result) => outcomes.includes(outcomeOf(result, strict))).length;
    return `| ${area} | ${count("pass")} | ${count("fail")} | ${count("advice")} | ${count("could-not-run")} | ${count("not-applicable", "accepted")} |`;
  });
  if (notApplicable.length > 0) rows.push("", `Not applicable: ${notApplicable.join(", ")}`);
  return [
    "| area | pass | fail | advice | could not run | other |",
    "| --- | --- | --- | --- | --- | --- |",
    ...rows,
  ].join("\n");
}

/**
 * A text as a code span of Markdown: delimiters longer than any run of backticks inside, and no
 * line break, which would end the list item or the row.
 */
export function codeSpan(text: string): string {
  const longest = Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
  const ticks = "`".repeat(longest + 1);
  return `${ticks} ${text.replaceAll(/\s+/g, " ").trim()} ${ticks}`;
}
