import { InvalidArgumentError } from "commander";
import type { CommandSpec } from "./declare.ts";

const list: CommandSpec = {
  name: "list",
  does: "servers as they come up, then their tools",
  about: [
    "Starts every server that is configured, at the same time, and shows each as soon as it is ready or has failed. One that hangs holds up nobody else, and is given up after --timeout. What npx, uvx and the like may be installing is waited for up to 5 minutes, unless --timeout is given.",
    "Below a server that is not ready stand why, what it wrote to stderr, and the command that mends it. Then what is wrong in the configuration, and the tools by server.",
  ],
  examples: {
    "hostside list": "every server and its tools",
    "hostside list github": "starts this one alone, and shows its tools with their effects",
    "hostside list https://example.com/mcp": "a server that is configured nowhere",
    "hostside list -- npx -y some-server": "the same for a program",
    "hostside list --no-tools --where": "servers alone, with the file and the line of each",
    "hostside list --json": "for a script",
  },
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
  takes: (command) =>
    command
      .argument("[server]", "one server alone, and its tools with all that they say of themselves")
      .option("--no-tools", "servers alone")
      .option("--long", "descriptions as long as they are, with a server")
      .option("--where", "which file each server is from"),
  work: async () => (await import("../listing/list-servers.ts")).listServers,
};

const show: CommandSpec = {
  name: "show",
  does: "a tool: its arguments, tokens, effect and rules",
  about: [
    "Shows its description, its arguments as options of hostside call, how many tokens its definition costs a model, what is odd about it, and which rule decides over its calls. --json has the schemas.",
    "Where the name says which server it is on, that one alone is started.",
  ],
  examples: {
    "hostside show files/read_file": "starts the server files alone",
    "hostside show mcp_files_read_file --json": "the raw definition, and the facts",
  },
  json: "{ definition, server, tool, signature, tokens,\n  effect, flags, fingerprint?, rules: [sentence] }",
  takes: (command) =>
    command.argument("<tool>", "its name, server/tool, or its remote name where one server alone has it"),
  work: async () => (await import("../calling/show-tool.ts")).showTool,
};

const search: CommandSpec = {
  name: "search",
  does: "the tools that a model would find",
  about: ["Ranks the tools of all servers as tools_search does for a model."],
  examples: {
    "hostside search read a file": "the ten best",
    "hostside search issue --limit 3 --json": "three, for a script",
  },
  json: "{ query, totalTools,\n  tools: [{ name, server, tool, title?,\n    description, effect, tokens }] }",
  exits: { 1: "nothing was found" },
  takes: (command) =>
    command
      .argument("<words...>", "what the tool does, or the beginning of its name")
      .option("--limit <number>", "most tools to show, up to 64", readLimit, 10),
  work: async () => (await import("../listing/search-tools.ts")).runSearchCommand,
};

function readLimit(text: string): number {
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= 64) return limit;
  throw new InvalidArgumentError("It must be a whole number from 1 to 64.");
}

/** Commands that show what there is. */
export const look: readonly CommandSpec[] = [list, show, search];
