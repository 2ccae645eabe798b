import type { GlobalOptions } from "../command-context.ts";
import { fileWords, serverWords, shellLine } from "../render/render-text.ts";
import { wrapText } from "../render/text-width.ts";
import type { Style, Terminal } from "../terminal.ts";

/** A remedy for a finding: a command to run, or something to do. */
export type Mend = { readonly command: string } | { readonly text: string };

/** One thing that `hostside doctor` says. */
export interface DoctorFinding {
  readonly level: "ok" | "advice" | "problem";
  readonly area: "machine" | "configuration" | "program" | "connection" | "sign-in" | "protocol" | "tools";
  /** The server that it is about. Absent: it is about the machine, or about all servers. */
  readonly server?: string | undefined;
  readonly what: string;
  readonly evidence?: readonly string[] | undefined;
  readonly mend?: Mend | undefined;
}

/** Makes the remedy that is a command of hostside about a server. */
export type RunFor = (command: string, serverId: string, ...more: readonly string[]) => Mend;

/** Commands that read the same files and the same typed server as this run does. */
export function createRunFor(options: GlobalOptions): RunFor {
  return (command, serverId, ...more) => ({
    command: shellLine(["hostside", command, ...more, ...fileWords(options), ...serverWords(serverId, options.typed)]),
  });
}

/** Groups items by a key, in their order. `Map.groupBy` needs Node 21. */
export function groupBy<T>(items: Iterable<T>, keyOf: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

type Level = DoctorFinding["level"];

const marks: Readonly<Record<Level, readonly [style: Style, mark: string]>> = {
  ok: ["good", "✓"],
  advice: ["warn", "!"],
  problem: ["bad", "✗"],
};
const order: readonly Level[] = ["problem", "advice", "ok"];
const titles: Partial<Record<DoctorFinding["area"], string>> = {
  machine: "This machine",
  configuration: "Configuration",
};
// A file of a thousand mistakes is mended by its first ones.
const mostOfGroup = 25;

/** A terminal, as far as a page depends on it. */
type Page = Pick<Terminal, "paint" | "isLive" | "columns">;

/**
 * Renders findings as a page: a group for the machine, the configuration, each server and all
 * servers together, each with the worst first; then how many there are: so far, unless all was
 * looked at.
 */
export function renderFindings(
  findings: readonly DoctorFinding[],
  terminal: Page,
  { isWhole = true }: { readonly isWhole?: boolean } = {},
): string {
  const { paint } = terminal;
  const ranked = findings.toSorted((a, b) => order.indexOf(a.level) - order.indexOf(b.level));
  const groups = groupBy(findings, ({ server, area }) => server ?? titles[area] ?? "All servers");
  const blocks = Array.from(groups, ([title, members]) => {
    const shown = ranked.filter((finding) => members.includes(finding)).slice(0, mostOfGroup);
    const left = members.length - shown.length;
    const more = left > 0 ? [paint("dim", `  … and ${left} more; --json has all`)] : [];
    return [paint("bold", title), ...shown.flatMap((finding) => linesOf(finding, terminal)), ...more].join("\n");
  });
  return `${[...blocks, `${sumOf(findings, paint)}${isWhole ? "" : " so far"}`].join("\n\n")}\n`;
}

function linesOf(
  { level, what, evidence = [], mend }: DoctorFinding,
  { paint, isLive, columns }: Page,
): readonly string[] {
  const [style, mark] = marks[level];
  // Programs that read line by line, such as grep, want whole lines.
  const width = isLive ? columns : Number.MAX_SAFE_INTEGER;
  const wrap = (text: string, indent: string): readonly string[] =>
    wrapText(text, { width, indent, hanging: "      " });
  const [first = "", ...rest] = wrap(what, "    ");
  const lines = [`  ${paint(style, mark)} ${first.trimStart()}`, ...rest];
  // The page needs no evidence of what is well; --json has it.
  if (level === "ok") return lines;
  lines.push(...evidence.flatMap((line) => wrap(line, "      ").map((part) => paint("dim", part))));
  // A command is to be copied, so it stays one line.
  if (mend !== undefined && "command" in mend)
    lines.push(`      ${paint("dim", "run")} ${paint("name", mend.command)}`);
  else if (mend !== undefined) lines.push(...wrap(`→ ${mend.text}`, "      "));
  return lines;
}

function sumOf(findings: readonly DoctorFinding[], paint: Terminal["paint"]): string {
  const count = (level: Level): number => findings.filter((one) => one.level === level).length;
  const [problems, advice] = [count("problem"), count("advice")];
  const sum = problems === 1 ? "1 problem" : `${problems === 0 ? "no" : problems} problems`;
  const pieces = advice === 1 ? "1 piece of advice" : `${advice} pieces of advice`;
  return paint(problems > 0 ? "bad" : "good", sum) + (advice === 0 ? "" : `, ${paint("warn", pieces)}`);
}
