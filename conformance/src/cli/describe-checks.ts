import type { CheckInfo } from "../engine/check.ts";

/** One line per check, for `--list`. */
export function listChecks(checks: readonly CheckInfo[]): string {
  const width = Math.max(...checks.map(({ id }) => id.length));
  return checks.map(({ id, level, title }) => `${id.padEnd(width)}  ${level.padEnd(6)}  ${title}\n`).join("");
}

/**
 * What `--explain` prints: all about the check of an id, or of a scenario (`recover/dpop-proof`),
 * as it is in the first of its variants, with the ids of the others. `undefined` for an id that
 * none has.
 */
export function explainId(wanted: string, checks: readonly CheckInfo[]): string | undefined {
  const exact = checks.find(({ id }) => id === wanted);
  if (exact !== undefined) return explainCheck(exact);
  const [first, ...others] = wanted.includes("/") ? checks.filter(({ id }) => id.startsWith(`${wanted}/`)) : [];
  if (first === undefined) return undefined;
  const also = others.length === 0 ? "" : `  also    ${others.map(({ id }) => id).join(", ")}\n`;
  return `${explainCheck(first)}${also}`;
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
