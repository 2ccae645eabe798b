import { wrapText } from "../render/render-text.ts";
import type { Style, Terminal } from "../terminal.ts";
import type { DoctorFinding, Mend } from "./finding.ts";

const marks: Readonly<Record<DoctorFinding["level"], readonly [style: Style, mark: string]>> = {
  ok: ["good", "✓"],
  advice: ["warn", "!"],
  problem: ["bad", "✗"],
};
const order: readonly DoctorFinding["level"][] = ["problem", "advice", "ok"];
// A file of a thousand mistakes is mended by its first ones.
const mostOfGroup = 25;

/**
 * Findings as a page: what concerns all, then each server, the worst first in each; and last how
 * many there are: so far, unless all was looked at.
 */
export function renderFindings(
  findings: readonly DoctorFinding[],
  terminal: Page,
  { isWhole = true }: { readonly isWhole?: boolean } = {},
): string {
  const { paint } = terminal;
  const blocks = groupsOf(findings).map(({ title, members }) => {
    const shown = members.slice(0, mostOfGroup);
    const left = members.length - shown.length;
    const more = left > 0 ? [paint("dim", `  … and ${left} more; --json has all`)] : [];
    return [paint("bold", title), ...shown.flatMap((finding) => linesOf(finding, terminal)), ...more].join("\n");
  });
  return `${[...blocks, `${sumOf(findings, paint)}${isWhole ? "" : " so far"}`].join("\n\n")}\n`;
}

/** Where the page is shown. */
type Page = Pick<Terminal, "paint" | "isLive" | "columns">;

interface Group {
  readonly title: string;
  readonly members: readonly DoctorFinding[];
}

function groupsOf(findings: readonly DoctorFinding[]): readonly Group[] {
  const groups = new Map<string, DoctorFinding[]>();
  for (const finding of findings) {
    const title = finding.server ?? titleOf(finding);
    // A server may be called like a part of the page.
    const key = `${finding.server === undefined ? "part" : "server"} ${title}`;
    groups.set(key, [...(groups.get(key) ?? []), finding]);
  }
  const made = Array.from(groups, ([key, members]) => ({
    title: key.slice(key.indexOf(" ") + 1),
    isPart: key.startsWith("part "),
    members: order.flatMap((level) => members.filter((finding) => finding.level === level)),
  }));
  const isFirst = ({ title, isPart }: { title: string; isPart: boolean }): boolean => isPart && title !== "All servers";
  return [
    ...made.filter(isFirst),
    ...order.flatMap((level) => made.filter(({ isPart, members: [worst] }) => !isPart && worst?.level === level)),
    ...made.filter((group) => group.isPart && !isFirst(group)),
  ];
}

function titleOf({ area }: DoctorFinding): string {
  if (area === "machine") return "This machine";
  return area === "configuration" ? "Configuration" : "All servers";
}

function linesOf(
  { level, what, evidence = [], mend }: DoctorFinding,
  { paint, isLive, columns }: Page,
): readonly string[] {
  const [style, mark] = marks[level];
  // Who reads line by line, as grep does, wants whole ones.
  const width = isLive ? columns : Number.MAX_SAFE_INTEGER;
  const wrap = (text: string, indent: string): readonly string[] =>
    wrapText(text, { width, indent, hanging: "      " });
  const [first = "", ...rest] = wrap(what, "    ");
  return [
    `  ${paint(style, mark)} ${first.trimStart()}`,
    ...rest,
    // What is well needs no proof here; --json has it.
    ...(level === "ok" ? [] : evidence.flatMap((line) => wrap(line, "      ").map((part) => paint("dim", part)))),
    ...(mend === undefined || level === "ok" ? [] : mendLines(mend, { paint, wrap })),
  ];
}

interface MendLook extends Pick<Terminal, "paint"> {
  readonly wrap: (text: string, indent: string) => readonly string[];
}

// A command is to be copied: it stays one line.
function mendLines(mend: Mend, { paint, wrap }: MendLook): readonly string[] {
  return "command" in mend
    ? [`      ${paint("dim", "run")} ${paint("name", mend.command)}`]
    : wrap(`→ ${mend.text}`, "      ");
}

function sumOf(findings: readonly DoctorFinding[], paint: Terminal["paint"]): string {
  const count = (level: DoctorFinding["level"]): number => findings.filter((one) => one.level === level).length;
  const [problems, advice] = [count("problem"), count("advice")];
  const parts = [
    paint(problems > 0 ? "bad" : "good", problems === 1 ? "1 problem" : `${problems === 0 ? "no" : problems} problems`),
    ...(advice === 0 ? [] : [paint("warn", advice === 1 ? "1 piece of advice" : `${advice} pieces of advice`)]),
  ];
  return parts.join(", ");
}
