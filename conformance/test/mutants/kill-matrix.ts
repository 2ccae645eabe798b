import type { CheckInfo } from "../../src/engine/check.ts";
import type { Mutant } from "./mutant.ts";

/**
 * The page that says which broken server fails which checks, and which check finds which servers.
 */
export function killMatrix(mutants: readonly Mutant[], checks: readonly CheckInfo[]): string {
  const byCheck = checks.map(({ id }) => ({
    id,
    killers: mutants.filter(({ fails }) => fails.includes(id)).map((mutant) => mutant.id),
  }));
  const proven = byCheck.filter(({ killers }) => killers.length > 0).length;
  return `# What the conformance kit finds

${mutants.length} servers with one bug each test the kit. Each runs against all checks, and must fail exactly the listed ones.
${proven} of ${checks.length} checks fail for at least one server. \`npx vitest run conformance/test/kill-matrix.test.ts -u\` writes this page.

## By server

| server | what is wrong with it | over | fails |
| --- | --- | --- | --- |
${mutants.map(({ id, wrong, transport, fails }) => `| ${id} | ${wrong} | ${transport} | ${codes(fails)} |`).join("\n")}

## By check

| check | found in |
| --- | --- |
${byCheck.map(({ id, killers }) => `| \`${id}\` | ${killers.join(", ") || "–"} |`).join("\n")}
`;
}

function codes(ids: readonly string[]): string {
  return ids
    .toSorted()
    .map((id) => `\`${id}\``)
    .join(", ");
}
