import { collect, type CommandSpec } from "./declare.ts";

const init: CommandSpec = {
  name: "init",
  does: "write a hostside.json for your servers",
  about: [
    "Writes one file that imports the configurations of your other tools (Claude Code, Cursor, VS Code, Codex and others). No other file changes, and no server starts. An existing hostside.json stays as it is, unless it is blank.",
    "With --project it imports the files of the project by path, without those in a place that is not documented.",
  ],
  examples: {
    "hostside init": "for you",
    "hostside init --project": "for everyone who works on the project",
  },
  json: '{ "file", "change": "created" | "unchanged", "imports"?: […], "found": [{ "tool", "dialect", "file" }] }',
  takes: (command) =>
    command
      .option("--user", "write your own file (default)")
      .option("--project", "write ./hostside.json of the project"),
  work: async () => (await import("../configuring/init-config.ts")).initConfig,
};

const add: CommandSpec = {
  name: "add",
  does: "add a server",
  about: [
    "Writes the server into a hostside.json and keeps its comments. The entry is checked first; the server does not start. hostside doctor checks whether the program exists.",
    'The first hostside.json of your own gets "imports": ["auto"], so that the servers of your other tools stay in use. With --project, you trust the server that you add; others of the project need hostside trust.',
    "Use references to keep secrets out of the file: ${NAME} is a variable, ${file:path} a file, ${input:id} a question.",
  ],
  examples: {
    "hostside add files -- npx -y @modelcontextprotocol/server-filesystem .": "a program",
    "hostside add github https://api.githubcopilot.com/mcp/ --header 'Authorization: Bearer ${GITHUB_TOKEN}'": "a URL",
    "hostside add search --env API_KEY -- npx -y some-search-server": "with your own API_KEY",
  },
  json: '{ "changes": [{ "file", "name", "change": "added" | "replaced" }], "notes": […] }',
  takes: (command) =>
    command
      .argument("<name>", "name of the server")
      .argument("[words...]", "a URL, or a program and its arguments after --")
      .option("--env <NAME=value>", "variable for the program; NAME alone uses yours; can be repeated", collect)
      .option("--header <Name: value>", "header for the URL; can be repeated", collect)
      .option("--cwd <folder>", "working directory of the program")
      .option("--allow <tool>", "offer only this tool; can be repeated", collect)
      .option("--deny <tool>", "hide this tool; can be repeated", collect)
      .option("--user", "write to your own file (default)")
      .option("--project", "write to ./hostside.json of the project")
      .option("--replace", "replace a server with this name"),
  work: async () => (await import("../configuring/change-servers.ts")).runAddCommand,
};

const remove: CommandSpec = {
  name: "remove",
  does: "remove a server",
  about: ['Removes it from a hostside.json. For a server of another tool, use "denyServers" in a hostside.json.'],
  examples: { "hostside remove files": "remove the server files" },
  json: '{ "changes": [{ "file", "name", "change": "removed" }], "notes": […] }',
  takes: (command) =>
    command
      .argument("<name>", "name of the server")
      .option("--user", "only from your own file")
      .option("--project", "only from the file of the project"),
  work: async () => (await import("../configuring/change-servers.ts")).removeServer,
};

const trust: CommandSpec = {
  name: "trust",
  does: "trust servers of a project",
  about: [
    "A server of a project is a program that runs with your rights. It starts only after you trusted its entry. After a change of the entry, you are asked again.",
  ],
  examples: {
    "hostside trust": "decide about each server",
    "hostside trust github": "decide about github, also after a refusal",
    "hostside trust --list": "list decisions",
  },
  json: '{ "decisions": [{ "name", "folder", "answer": "trust" | "refuse" }], "open": [{ "serverId", "folder", "file", "line", "column", "starts": […], "cwd", "sets": […], "settings": […], "replaces": […], "references": […], "changed": […], "before", "fingerprint" }] };\nwith --list { "records": [{ "name", "answer", "folder", "file", "answeredAt" }] }; with --revoke { "revoked": [{ "name", "count" }] }',
  exits: { 2: "a name has nothing to decide", 3: "a decision is open" },
  takes: (command) =>
    command
      .argument("[names...]", "only these servers, also refused ones")
      .option("--list", "list decisions of all projects")
      .option("--revoke", "forget decisions about the named servers"),
  work: async () => (await import("../configuring/decide-trust.ts")).decideTrust,
};

/** Commands that change which servers are used. */
export const setUp: readonly CommandSpec[] = [init, add, remove, trust];
