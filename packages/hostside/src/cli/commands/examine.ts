import type { CommandSpec } from "./declare.ts";

const doctor: CommandSpec = {
  name: "doctor",
  does: "find problems and their remedies",
  about: [
    "Shows the version of Node and the proxy variables that are set. Checks the configuration files and every server: program, start, hidden characters in tools, tokens, and schemas that a model API refuses. Each problem has a remedy.",
    "Servers start together and end again. No tool is called, no question is asked and no secret is shown. Untrusted servers of a project do not start.",
    "It exits with 1 for a problem, and with 0 for advice, such as a server that is not trusted.",
  ],
  examples: {
    "hostside doctor": "everything",
    "hostside doctor github": "one server",
    "hostside doctor --json | jq '.findings[] | select(.level == \"problem\")'": "only problems, for a script",
  },
  json: '{ "findings": [{ "level": "ok" | "advice" | "problem", "area", "server"?, "what", "evidence"?: [text], "mend"?: { "command" } | { "text" } }] }',
  takes: (command) => command.argument("[server]", "only this server"),
  work: async () => (await import("../examining/doctor.ts")).doctor,
};

const lock: CommandSpec = {
  name: "lock",
  does: "write a lock file of the tools on offer",
  about: [
    "Writes the definition of every tool on offer with a hash. Tools that allow or deny leaves out are not in it. Keep the file with your code. hostside diff shows changes, and a policy holds back tools that differ: pins: { locks: JSON.parse(text).servers }.",
    "The lock of a server stays unchanged if it is unreachable or does not list its tools to the end. The file is written whole or not at all.",
  ],
  examples: {
    "hostside lock": "all servers, to hostside-lock.json",
    "hostside lock --server github": "accept the tools of github as they are now",
  },
  json: '{ "file", "written": boolean, "locked": [{ "server", "tools": number, "hash", "was": "new" | "same" | "changed" }],\n  "kept": [{ "server", "reason" }], "removed": [server], "failed": [{ "server", "reason" }] }',
  takes: (command) =>
    command
      .argument("[file]", "the lock file (default: hostside-lock.json)")
      .option("--server <name...>", "only these servers; others stay as they are in the file"),
  work: async () => (await import("../checking/lock-servers.ts")).lockServers,
};

const diff: CommandSpec = {
  name: "diff",
  does: "changes since the lock file",
  about: [
    "Compares the tools on offer with a lock file. A breaking change can break calls or prompts. A security change alters what a model reads or what a person approved. Other changes are compatible.",
  ],
  examples: {
    "hostside diff": "all servers",
    "hostside diff --strict --json": "for a pipeline",
  },
  json: '{ "file", "changes": [{ "server", "kind": "breaking" | "security" | "compatible", "tool"?, "path", "what" }],\n  "counts": { "breaking", "security", "compatible" }, "failed": [{ "server", "reason" }] }',
  exits: {
    0: "no change, or compatible changes",
    1: "breaking or security-relevant changes; with --strict, any change",
    3: "a server or a part of the configuration could not be read, and the rest has no relevant change",
  },
  takes: (command) =>
    command
      .argument("[file]", "the lock file (default: hostside-lock.json)")
      .option("--server <name...>", "only these servers")
      .option("--strict", "fail on any change"),
  work: async () => (await import("../checking/lock-servers.ts")).diffServers,
};

/** Commands that look for what is wrong. */
export const examine: readonly CommandSpec[] = [doctor, lock, diff];
