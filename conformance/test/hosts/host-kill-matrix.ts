import type { HostScenario } from "../../src/host/host-scenario.ts";
import type { BrokenHost } from "./broken-host.ts";

/**
 * The page that says which broken host fails which scenarios, and which scenario finds which hosts.
 */
export function hostKillMatrix(hosts: readonly BrokenHost[], scenarios: readonly HostScenario[]): string {
  const byScenario = scenarios.map(({ area, name }) => {
    const id = `${area}/${name}`;
    return { id, killers: hosts.filter(({ fails }) => fails.includes(id)).map((host) => host.id) };
  });
  const proven = byScenario.filter(({ killers }) => killers.length > 0).length;
  return `# What the host side of the conformance kit finds

${hosts.length} hosts with one bug each test the host side. Each is Hostside with one part replaced. It runs in all scenarios of its venue, and must fail
exactly the listed ones. Scenarios with megabytes or thousands of entries run only for hosts that must fail them. ${proven} of ${byScenario.length} scenarios
fail for at least one host. \`npx vitest run conformance/test/host-kill-matrix.test.ts -u\` writes this page.

## By host

| host | what is wrong with it | over | fails |
| --- | --- | --- | --- |
${hosts.map(({ id, wrong, venue, fails }) => `| ${id} | ${wrong} | ${venue} | ${codes(fails)} |`).join("\n")}

## By scenario

| scenario | found in |
| --- | --- |
${byScenario.map(({ id, killers }) => `| \`${id}\` | ${killers.join(", ") || "–"} |`).join("\n")}
`;
}

function codes(ids: readonly string[]): string {
  return ids
    .toSorted()
    .map((id) => `\`${id}\``)
    .join(", ");
}
