import { InvalidArgumentError } from "commander";
import type { CommandSpec } from "./declare.ts";

const list: CommandSpec = {
  name: "list",
  does: "list servers and their tools",
  about: [
    "Starts all configured servers at the same time, and shows each when it is ready or has failed. A server that hangs is given up after --timeout. A program that npx or uvx may be installing has 5 minutes, unless --timeout is given.",
    "For a server that is not ready, it shows the reason, its stderr, and the command that helps. Problems of the configuration and the tools follow.",
  ],
  examples: {
    "hostside list": "all servers and tools",
    "hostside list github": "one server, with the effects of its tools",
    "hostside list https://example.com/mcp": "a server without a configuration",
    "hostside list -- npx -y some-server": "a program without a configuration",
    "hostside list --no-tools --where": "servers only, with file and line",
    "hostside list --json": "for a script",
  },
  json: `{ servers: [{ id, title?, state, off?, scope?, file?, line?, transport?, era?, protocolVersion?, tools,
    connectMs?, listMs?, error?: { code, kind, message, stderr? }, mend?: [argument] }],
  tools: [{ name, server, tool, title?, description, effect, tokens }],
  problems: [{ file?, line?, column?, path, severity, code, message, fix?, serverId? }] }
state: ready, failed, needs-auth, late, down, invalid or disabled`,
  takes: (command) =>
    command
      .argument("[server]", "only this server, with the effects of its tools")
      .option("--no-tools", "show servers only")
      .option("--where", "show the file of each server"),
  work: async () => (await import("../listing/list-servers.ts")).listServers,
};

const show: CommandSpec = {
  name: "show",
  does: "show one tool",
  about: [
    "Shows the description, the arguments as options of hostside call, the tokens of the definition, warnings, and the rule that decides about calls. --json has the schemas.",
    "If the name includes the server, only that server starts.",
  ],
  examples: {
    "hostside show files/read_file": "starts only the server files",
    "hostside show mcp_files_read_file --json": "the raw definition and all facts",
  },
  json: "{ definition, server, tool, signature, tokens,\n  effect, flags, fingerprint?, rules: [sentence] }",
  takes: (command) => command.argument("<tool>", "local name, server/tool, or a name that only one server has"),
  work: async () => (await import("../calling/show-tool.ts")).showTool,
};

const search: CommandSpec = {
  name: "search",
  does: "search tools as a model does",
  about: ["Ranks the tools of all servers like tools_search."],
  examples: {
    "hostside search read a file": "the best ten",
    "hostside search issue --limit 3 --json": "the best three, for a script",
  },
  json: "{ query, totalTools,\n  tools: [{ name, server, tool, title?,\n    description, effect, tokens }] }",
  exits: { 1: "nothing was found" },
  takes: (command) =>
    command
      .argument("<words...>", "what the tool does, or the start of its name")
      .option("--limit <number>", "number of tools, up to 64", readLimit, 10),
  work: async () => (await import("../listing/search-tools.ts")).runSearchCommand,
};

function readLimit(text: string): number {
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= 64) return limit;
  throw new InvalidArgumentError("It must be a whole number from 1 to 64.");
}

/** Commands that show what there is. */
export const look: readonly CommandSpec[] = [list, show, search];
