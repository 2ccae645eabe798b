import { collect, type CommandSpec } from "./declare.ts";

const init: CommandSpec = {
  name: "init",
  does: "write a hostside.json that uses the servers that you have",
  about: [
    "Writes one file that imports the configurations of your other tools (Claude Code, Cursor, VS Code, Codex and others), and names them. No other file is touched, and no server is started. A hostside.json that is there already stays as it is.",
    "With --project it imports the files of the project by their paths.",
  ],
  examples: {
    "hostside init": "for you, everywhere",
    "hostside init --project": "for whoever works on the project",
  },
  json: '{ "file", "change": "created" | "unchanged", "imports": […], "found": [{ "tool", "dialect", "file" }] }',
  takes: (command) =>
    command
      .option("--user", "write it for you, everywhere (default)")
      .option("--project", "write ./hostside.json, for whoever works on the project"),
  work: async () => (await import("../configuring/init-config.ts")).initConfig,
};

const add: CommandSpec = {
  name: "add",
  does: "add a server: a command or a URL",
  about: [
    "Writes the server into a hostside.json, and keeps its comments. Its entry is checked first, without starting it, and nothing is written where it makes no sense. Whether the program is there is for hostside doctor to say.",
    "Values may be references: ${NAME} is a variable, ${file:path} a file, ${input:id} a question. So secrets stay out of the file.",
  ],
  examples: {
    "hostside add files -- npx -y @modelcontextprotocol/server-filesystem .": "a program",
    "hostside add github https://api.githubcopilot.com/mcp/ --header 'Authorization: Bearer ${GITHUB_TOKEN}'": "a URL",
    "hostside add search --env API_KEY -- npx -y some-search-server": "with your own API_KEY",
  },
  json: '{ "changes": [{ "file", "name", "change": "added" | "replaced" }], "notes": […] }',
  takes: (command) =>
    command
      .argument("<name>", "what the server is called")
      .argument("[words...]", "a program and its arguments behind --, or a URL")
      .option("--env <NAME=value>", "a variable for the program; NAME alone: yours; can be given again", collect)
      .option("--header <Name: value>", "a header for the URL; can be given again", collect)
      .option("--cwd <folder>", "where the program starts")
      .option("--allow <tool>", "offer this tool alone; can be given again", collect)
      .option("--deny <tool>", "hide this tool; can be given again", collect)
      .option("--user", "for you, everywhere (default)")
      .option("--project", "into ./hostside.json, for whoever works on the project")
      .option("--replace", "in the place of a server of this name"),
  work: async () => (await import("../configuring/add-server.ts")).runAddCommand,
};

const remove: CommandSpec = {
  name: "remove",
  does: "take a server out of a hostside.json",
  about: [
    'A server that another tool\'s file brings stays there: "denyServers" in the settings of a hostside.json has it off here.',
  ],
  examples: { "hostside remove files": "the server files, wherever a hostside.json has it" },
  json: '{ "changes": [{ "file", "name", "change": "removed" }], "notes": […] }',
  takes: (command) =>
    command
      .argument("<name>", "the server")
      .option("--user", "out of yours alone")
      .option("--project", "out of that of the project alone"),
  work: async () => (await import("../configuring/remove-server.ts")).removeServer,
};

const trust: CommandSpec = {
  name: "trust",
  does: "decide about servers that a project brings",
  about: [
    "A project can bring servers, and a server is a program that runs as you. So none of them starts before you said yes to what it would start. An answer counts for an entry as it is: after any change of it you are asked again.",
  ],
  examples: {
    "hostside trust": "look at each, and decide",
    "hostside trust github": "decide about github, also where it was refused",
    "hostside trust --list": "what was decided so far",
  },
  json: '{ "decisions": [{ "name", "folder", "answer": "trust" | "refuse" }], "open": [{ "serverId", "folder", "file", "line", "column", "starts": […], "cwd", "sets": […], "settings": […], "replaces": […], "references": […], "changed": […], "before", "fingerprint" }] };\nwith --list { "records": [{ "name", "answer", "folder", "file", "answeredAt" }] }; with --revoke { "revoked": [{ "name", "count" }] }',
  exits: { 2: "there is nothing to decide about a name", 3: "something is still to be decided" },
  takes: (command) =>
    command
      .argument("[names...]", "these servers alone; also those that were refused")
      .option("--list", "what was decided, in every project")
      .option("--revoke", "forget what was decided about those that are named"),
  work: async () => (await import("../configuring/decide-trust.ts")).decideTrust,
};

/** Commands that change which servers are used. */
export const setUp: readonly CommandSpec[] = [init, add, remove, trust];
