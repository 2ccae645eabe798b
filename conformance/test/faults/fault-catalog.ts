import { faults, wireFaults } from "@hostside/fixtures";

/** What `faults.json` says of one fault. */
export interface NumberedFault {
  readonly number: number;
  readonly id: string;
  /** Host scenarios that do the same to a host, as `<level>/<name>`. */
  readonly scenarios: readonly string[];
}

const headings: ReadonlyMap<string, string> = new Map([
  ["stdio-process", "A process"],
  ["stdio-framing", "Lines of stdio"],
  ["handshake", "The handshake"],
  ["catalogue", "Tools and their listing"],
  ["calls", "Calls"],
  ["http", "HTTP and event streams"],
  ["session", "Sessions over HTTP"],
  ["auth", "Authorization"],
  ["wire", "Below HTTP"],
]);

/** The page of all faults that the fixtures can play, with the numbers of `faults.json`. */
export function faultCatalog(numbered: readonly NumberedFault[]): string {
  const entries = new Map(numbered.map((fault) => [fault.id, fault]));
  const all = [...faults, ...wireFaults.map((fault) => ({ ...fault, group: "wire", transports: ["http"] }))];
  const groups = [...new Set(all.map(({ group }) => group))];
  const sections = groups.map((group) => {
    const rows = all.filter((fault) => fault.group === group).map((fault) => row(fault, entries.get(fault.id)));
    return `## ${headings.get(group) ?? group}\n\n| no. | fault | over | what happens | what a host should do | host scenario |\n| --- | --- | --- | --- | --- | --- |\n${rows.join("\n")}\n`;
  });
  const played = numbered.filter(({ scenarios }) => scenarios.length > 0).length;
  return `# Faults

This page lists ${all.length} faults between a host and an MCP server. Each can be started with a command.

\`\`\`sh
npx @hostside/fixtures --script http-429-seconds                        # over its first transport
npx @hostside/fixtures --script call-never-answers --transport http     # or another transport of its row
\`\`\`

Over stdio the command is the server: put it into your host's configuration. Over HTTP and SSE it prints \`{"url": …}\` when it listens.
In a test, \`startFaultServer({ script: "http-429-seconds", transport: "http" })\` does the same, and reports received and executed calls
([fixtures](../../fixtures/README.md)).

The last column names the scenarios of \`hostside-conformance host\` that test a host with the fault ([check a host](../reference/host-driver.md)).
${played} of the faults have one. Numbers are permanent. The page is generated from the fixtures and [\`faults.json\`](../../conformance/faults.json) by
\`npx vitest run conformance/test/faults -u\`.

${sections.join("\n")}`;
}

interface Row {
  readonly id: string;
  readonly description: string;
  readonly expected: string;
  readonly transports: readonly string[];
}

function row({ id, description, expected, transports }: Row, entry: NumberedFault | undefined): string {
  const scenarios = entry?.scenarios.map((scenario) => `\`${scenario}\``).join(", ");
  const cells = [entry?.number ?? "?", `\`${id}\``, transports.join(", "), description, expected, scenarios || "–"];
  return `| ${cells.map((cell) => String(cell).replaceAll("|", "\\|")).join(" | ")} |`;
}
