import { describePage } from "../program/configure-pages.ts";
import type { Declare } from "../program/declare.ts";

interface ListFlags {
  readonly tools: boolean;
  readonly long?: boolean | undefined;
  readonly where?: boolean | undefined;
}

/** `list [server]`. */
export const declareList: Declare = (program, run) => {
  const command = program
    .command("list")
    .description("servers as they come up, then their tools")
    .argument("[server]", "one server alone, and its tools with all that they say of themselves")
    .option("--no-tools", "servers alone")
    .option("--long", "descriptions as long as they are, with a server")
    .option("--where", "which file each server is from")
    .action((server: string | undefined, { tools, long = false, where = false }: ListFlags) =>
      run(async (context) =>
        (await import("../listing/list-servers.ts")).listServers({ server, tools, long, where }, context),
      ),
    );
  describePage(command, {
    purpose: "Look",
    about: [
      "Starts every server that is configured, at the same time, and shows each as soon as it is ready or has failed. One that hangs holds up nobody else, and is given up after --timeout. What npx, uvx and the like may be installing is waited for up to 5 minutes, unless --timeout is given.",
      "Below a server that is not ready stand why, what it wrote to stderr, and the command that mends it. Then what is wrong in the configuration, and the tools by server.",
    ],
    examples: [
      { line: "hostside list", does: "every server and its tools" },
      { line: "hostside list github", does: "starts this one alone, and shows its tools with their effects" },
      { line: "hostside list https://example.com/mcp", does: "a server that is configured nowhere" },
      { line: "hostside list -- npx -y some-server", does: "the same for a program" },
      { line: "hostside list --no-tools --where", does: "servers alone, with the file and the line of each" },
      { line: "hostside list --json", does: "for a script" },
    ],
    json: [
      "{ servers: [{ id, title?, state, off?, scope?,",
      "    file?, line?, transport?, era?,",
      "    protocolVersion?, tools, connectMs?, listMs?,",
      "    error?: { code, kind, message, stderr? },",
      "    mend?: [argument] }],",
      "  tools: [{ name, server, tool, title?,",
      "    description, effect, tokens }],",
      "  problems: [{ file?, line?, column?, path,",
      "    severity, code, message, fix?, serverId? }] }",
      "state: ready, failed, needs-auth, late, down,",
      "  invalid or disabled",
    ].join("\n"),
    exits: {
      0: "every server that should be there is",
      1: "one is not",
      3: "Ctrl-C: what was known by then is shown",
      4: "the server that was named could not be reached",
      5: "the server that was named wants somebody to sign in",
    },
  });
};
