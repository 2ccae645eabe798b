import type { CheckResult } from "../engine/check.ts";
import type { Headline, RunReport } from "../engine/run-report.ts";
import type { TraceEvent } from "../engine/trace.ts";
import { areasOf } from "./junit-report.ts";
import { plain, type TextStyle } from "./text-style.ts";

// A screenful: the whole trace is in the JSON and HTML reports.
const traceLines = 12;
const traceWidth = 160;

/** The report for a person at a terminal: a short table, the first failure with its trace, the other causes, and the verdict. */
export function toTerminal(report: RunReport, style: TextStyle = plain): string {
  const [first, ...rest] = report.headlines.toSorted(byWeight(report.results));
  const sections = [
    table(report, style),
    first && [headlineText(first, report, style), ...traceText(first, report.results, style)].join("\n"),
    ...rest.map((headline) => headlineText(headline, report, style)),
    report.staleBaseline.map((entry) => `${style.bad("stale baseline")} ${entry}`).join("\n"),
    verdictText(report, style),
  ];
  return `${sections.filter((section) => section !== undefined && section !== "").join("\n\n")}\n`;
}

function table({ results }: RunReport, style: TextStyle): string {
  const areas = [...areasOf(results)];
  const width = Math.max(...areas.map(([area]) => area.length), 4);
  const rows = areas.map(([area, ofArea]) => {
    const marks = ofArea.map((result) => mark(result, style)).join("");
    const ms = Math.round(ofArea.reduce((sum, { durationMs }) => sum + durationMs, 0));
    return `  ${area.padEnd(width)}  ${marks}  ${style.faint(`${ofArea.length} checks, ${ms} ms`)}`;
  });
  const legend = `${style.good("✓")} pass  ${style.bad("✗")} fail  ${style.warn("!")} advice  ${style.faint("~ accepted  - not applicable  ? could not run")}`;
  return [...rows, "", `  ${legend}`].join("\n");
}

function mark({ check, finding, baselined }: CheckResult, style: TextStyle): string {
  if (finding.status === "pass") return style.good("✓");
  if (finding.status === "not-applicable") return style.faint("-");
  if (finding.status === "could-not-run") return style.warn("?");
  if (baselined !== undefined) return style.faint("~");
  return check.level === "MUST" ? style.bad("✗") : style.warn("!");
}

function headlineText(headline: Headline, { results }: RunReport, style: TextStyle): string {
  const result = results.find(({ check }) => check.id === headline.checkId);
  if (result === undefined) return "";
  const { check } = result;
  const lines = [
    `${mark(result, style)} ${style.strong(check.id)} ${style.faint(`[${check.level}]`)} ${check.title}`,
    `    observed  ${headline.observed.replaceAll("\n", "\n              ")}`,
    `    legal     ${check.legal.join("; or ")}`,
    `    why       ${check.requirement.sentence} (${check.requirement.section})`,
    `              ${style.faint(check.requirement.url)}`,
    `    fix       ${headline.fix}`,
  ];
  const { prevented } = headline;
  if (prevented.length > 0) lines.push(`    prevented ${prevented.length} more: ${prevented.join(", ")}`);
  return lines.join("\n");
}

function traceText(headline: Headline, results: readonly CheckResult[], style: TextStyle): readonly string[] {
  const finding = results.find(({ check }) => check.id === headline.checkId)?.finding;
  const trace = finding && "trace" in finding ? (finding.trace ?? []) : [];
  if (trace.length === 0) return [];
  const left = trace.length - traceLines;
  const more = left > 0 ? [style.faint(`              … ${left} earlier events are in the JSON and HTML reports`)] : [];
  return ["    trace", ...more, ...trace.slice(-traceLines).map((event) => style.faint(traceLine(event)))];
}

const arrows: Record<TraceEvent["kind"], string> = {
  send: "→",
  receive: "←",
  stdout: "⇠",
  stderr: "!",
  process: "·",
  http: "·",
};

function traceLine({ atMs, kind, session, text }: TraceEvent): string {
  const oneLine = text.replaceAll("\n", "⏎");
  const shown = oneLine.length > traceWidth ? `${oneLine.slice(0, traceWidth)}…` : oneLine;
  return `      ${atMs.toFixed(0).padStart(6)} ms ${session} ${arrows[kind]} ${shown}`;
}

function verdictText({ verdict, counts, durationMs, seed, target }: RunReport, style: TextStyle): string {
  const paint = { pass: style.good, fail: style.bad, incomplete: style.warn }[verdict];
  const parts = [
    `${counts.passed} passed`,
    `${counts.failed} failed`,
    `${counts.advice} advice`,
    ...(counts.baselined > 0 ? [`${counts.baselined} accepted`] : []),
    `${counts.notApplicable} not applicable`,
    ...(counts.couldNotRun > 0 ? [`${counts.couldNotRun} could not run`] : []),
  ];
  return `${paint(style.strong(verdict.toUpperCase()))} ${target}\n${parts.join(", ")} in ${(durationMs / 1000).toFixed(1)} s (seed ${seed})`;
}

// What fails the run comes first, then what could not be checked, then advice.
function byWeight(results: readonly CheckResult[]): (a: Headline, b: Headline) => number {
  const weights = new Map(
    results.map(({ check, finding }) => [
      check.id,
      finding.status === "could-not-run" ? 1 : { MUST: 0, SHOULD: 2, HOST: 3 }[check.level],
    ]),
  );
  return (a, b) => (weights.get(a.checkId) ?? 0) - (weights.get(b.checkId) ?? 0);
}
