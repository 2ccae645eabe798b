import type { CheckResult } from "../engine/check.ts";
import type { HostPreview, Headline, Obstacle, RunReport } from "../engine/run-report.ts";
import type { TraceEvent } from "../engine/trace.ts";
import { describeUncalled, outcomeOf, seconds, shortList, splitAreas, type Outcome } from "./outcome.ts";
import { showEscapesIn } from "./show-escapes.ts";
import { plain, type TextStyle } from "./text-style.ts";

// A screenful: the whole trace is in the JSON and HTML reports.
const traceLines = 12;
const traceWidth = 160;
const previewLines = 12;
const preventedIds = 12;

/**
 * The report for a person at a terminal: a short table, the first failure with its trace, the other
 * causes, and the verdict. What a terminal would act on in texts of the other side is shown as an
 * escape.
 */
export function toTerminal(given: RunReport, style: TextStyle = plain): string {
  const report = showEscapesIn({ ...given, trace: [] });
  const [first, ...rest] = report.headlines;
  const sections = [
    report.obstacle ? obstacleText(report.obstacle, report.side, style) : table(report, style),
    first && [headlineText(first, report, style), ...traceText(first, report.results, style)].join("\n"),
    ...rest.map((headline) => headlineText(headline, report, style)),
    report.staleBaseline.map((entry) => `${style.bad("stale baseline")} ${entry}`).join("\n"),
    report.preview && previewText(report.preview, style),
    [
      verdictText(report, style),
      ...(report.unknownTools ?? []).map(
        (name) => `${style.warn("?")} the server has no tool ${JSON.stringify(name)} that --call names`,
      ),
      ...describeUncalled(report).map((line) => `${style.warn("!")} ${line}`),
      ...callsText(report, style),
    ].join("\n"),
  ];
  return `${sections.filter((section) => section !== undefined && section !== "").join("\n\n")}\n`;
}

function obstacleText({ kind, reason, stderr }: Obstacle, side: RunReport["side"], style: TextStyle): string {
  const unreachable = side === "server" ? "cannot be reached" : "cannot be tested";
  const title = `The ${side} ${kind === "unreachable" ? unreachable : "asks for credentials"}`;
  const tail = stderr === undefined ? "" : `\n\n  its stderr ended with\n${stderr.replaceAll(/^/gm, "    ")}`;
  return `${style.bad("✗")} ${style.strong(title)}: ${reason}${tail}`;
}

function previewText({ tools, groups, notes, failure }: HostPreview, style: TextStyle): string {
  const shown = tools.slice(0, previewLines);
  const width = Math.max(0, ...shown.map(({ name }) => name.length));
  const more = tools.length - shown.length;
  return [
    style.strong("Tools in a host"),
    ...(failure === undefined ? [] : [`  ${style.bad("unusable")}  ${failure}`]),
    ...groups.map(
      ({ id, title, members }) => `  group ${id} ${style.faint(`(${title}), ${counted(members, "tool")}`)}`,
    ),
    ...shown.map(({ name, toolName }) => `  ${name.padEnd(width)}  ${style.faint(`← ${JSON.stringify(toolName)}`)}`),
    ...(more > 0 ? [style.faint(`  … and ${more} more in the JSON and HTML reports`)] : []),
    ...notes.slice(0, previewLines).map((note) => `  ${style.warn("!")} ${note}`),
  ].join("\n");
}

function table({ results, strict }: RunReport, style: TextStyle): string {
  const { owed, notApplicable } = splitAreas(results);
  const width = Math.max(...owed.map(([area]) => area.length), 4);
  const rows = owed.map(([area, ofArea]) => {
    const marks = ofArea.map((result) => mark(outcomeOf(result, strict), style)).join("");
    // Checks run at once: their times added up are nobody's.
    return `  ${area.padEnd(width)}  ${marks}  ${style.faint(counted(ofArea.length, "check"))}`;
  });
  if (notApplicable.length > 0) rows.push(style.faint(`  not applicable: ${notApplicable.join(", ")}`));
  const legend = `${style.good("✓")} pass  ${style.bad("✗")} fail  ${style.warn("!")} advice  ${style.faint("~ accepted  - not applicable  ? could not run")}`;
  return [...rows, "", `  ${legend}`].join("\n");
}

const marks: Readonly<Record<Outcome, readonly [style: keyof TextStyle, sign: string]>> = {
  pass: ["good", "✓"],
  fail: ["bad", "✗"],
  advice: ["warn", "!"],
  "could-not-run": ["warn", "?"],
  accepted: ["faint", "~"],
  "not-applicable": ["faint", "-"],
};

function mark(outcome: Outcome, style: TextStyle): string {
  const [name, sign] = marks[outcome];
  return style[name](sign);
}

function headlineText(headline: Headline, { results, strict }: RunReport, style: TextStyle): string {
  const result = results.find(({ check }) => check.id === headline.checkId);
  if (result === undefined) return "";
  const { check } = result;
  const lines = [
    `${mark(outcomeOf(result, strict), style)} ${style.strong(check.id)} ${style.faint(`[${check.level}]`)} ${headline.observed.replaceAll("\n", "\n    ")}`,
    `    expected  ${check.title}`,
    `    legal     ${check.legal.join("; or ")}`,
    `    why       ${check.requirement.sentence} (${check.requirement.section})`,
    `              ${style.faint(check.requirement.url)}`,
    `    fix       ${headline.fix}`,
  ];
  const { prevented } = headline;
  if (prevented.length > 0)
    lines.push(`    prevents  ${counted(prevented.length, "check")}: ${shortList(prevented, preventedIds)}`);
  return lines.join("\n");
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
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
  return `      ${seconds(atMs).padStart(8)} ${session} ${arrows[kind]} ${shown}`;
}

function verdictText(report: RunReport, style: TextStyle): string {
  const { verdict, counts, durationMs, seed, target, obstacle } = report;
  const paint = { pass: style.good, fail: style.bad, incomplete: style.warn }[verdict];
  const parts = [
    `${counts.passed} passed`,
    `${counts.failed} failed`,
    `${counts.advice} advice`,
    ...(counts.baselined > 0 ? [`${counts.baselined} accepted`] : []),
    `${counts.notApplicable} not applicable`,
    ...(counts.couldNotRun > 0 ? [`${counts.couldNotRun} could not run`] : []),
  ];
  if (obstacle) return `${paint(style.strong(obstacle.kind.toUpperCase()))} ${target}`;
  return `${paint(style.strong(verdict.toUpperCase()))} ${target}\n${parts.join(", ")} in ${seconds(durationMs, 1)} (seed ${seed})`;
}

/** What the user can allow, so that more is checked. */
function callsText({ results }: RunReport, style: TextStyle): readonly string[] {
  const reasons = results.flatMap(({ finding }) =>
    finding.status === "not-applicable" && finding.wants === "tool-calls" ? [finding.reason] : [],
  );
  const [reason] = reasons;
  if (reason === undefined) return [];
  const checks = reasons.length === 1 ? "check needs" : "checks need";
  return [`${style.warn("!")} ${reasons.length} ${checks} a tool call: ${reason}`];
}
