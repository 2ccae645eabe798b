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

What goes wrong between a host and an MCP server, by number: ${all.length} ways, each of which anybody can start.

\`\`\`sh
npx @hostside/fixtures --script http-429-seconds                        # over the transport that it is made for
npx @hostside/fixtures --script call-never-answers --transport http     # or another one of its row
\`\`\`

Over stdio the command is the server: put it into your host's configuration. Over HTTP and SSE it prints \`{"url": …}\` when it listens.
In a test, \`startFaultServer({ script: "http-429-seconds", transport: "http" })\` does the same and tells what was received and run
([the fixtures](../../fixtures/README.md)).

The last column names the scenarios of \`hostside-conformance host\` that do the same to a host and judge what comes of it ([check a
host](../reference/host-driver.md)); ${played} of the faults have one. A number stays with its fault. This page is made of the fixtures and of
[\`faults.json\`](../../conformance/faults.json); \`npx vitest run conformance/test/faults -u\` writes it.

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
