import type { CheckInfo } from "../engine/check.ts";

/** One line per check, for `--list`. */
export function listChecks(checks: readonly CheckInfo[]): string {
  const width = Math.max(...checks.map(({ id }) => id.length));
  return checks.map(({ id, level, title }) => `${id.padEnd(width)}  ${level.padEnd(6)}  ${title}\n`).join("");
}

/** All about one check, for `--explain`. */
export function explainCheck({ id, title, level, requirement, legal, fix }: CheckInfo): string {
  return `${id} [${level}]
  ${title}

  rule    ${requirement.sentence}
          ${requirement.section}
          ${requirement.url}
  passes  ${legal.join("\n          ")}
  fix     ${fix}
${requirement.revisions ? `  applies to ${requirement.revisions.join(", ")}\n` : ""}`;
}
