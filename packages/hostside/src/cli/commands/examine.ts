import type { CommandSpec } from "./declare.ts";

const doctor: CommandSpec = {
  name: "doctor",
  does: "what is wrong, and what mends it",
  about: [
    "Looks at this machine, the configuration files and every server: whether its program is found, how it comes up, and whether its tools have hidden characters, cost many tokens or are not taken by a model API. Every problem comes with what mends it.",
    "Servers are started side by side and ended again; no tool is called, nobody is asked, and no secret is shown. A server that a project brings and nobody trusted is not started.",
  ],
  examples: {
    "hostside doctor": "everything",
    "hostside doctor github": "one server",
    "hostside doctor --json | jq '.findings[] | select(.level == \"problem\")'": "problems alone, for a script",
  },
  json: '{ "findings": [{ "level": "ok" | "advice" | "problem", "area", "server"?, "what", "evidence"?: [text], "mend"?: { "command" } | { "text" } }] }',
  takes: (command) => command.argument("[server]", "one server alone"),
  work: async () => (await import("../examining/doctor.ts")).doctor,
};

const lock: CommandSpec = {
  name: "lock",
  does: "write down what the servers offer",
  about: [
    "Writes every tool's whole definition down, server by server, with a hash: keep the file with your code. hostside diff says what changed since, and a policy holds tools back that are not the ones in it: pins: { locks: JSON.parse(text).servers }.",
    "A server that cannot be reached keeps the lock that it has. The file is written whole or not at all.",
  ],
  examples: {
    "hostside lock": "all servers, to hostside-lock.json",
    "hostside lock --server github": "accepts what github offers now",
  },
  json: '{ "file", "written": boolean, "locked": [{ "server", "tools": number, "hash", "was": "new" | "same" | "changed" }],\n  "kept": [{ "server", "reason" }], "removed": [server], "failed": [{ "server", "reason" }] }',
  takes: (command) =>
    command
      .argument("[file]", "the lock file (default: hostside-lock.json)")
      .option("--server <name...>", "ask these servers alone; the others stay as they are in the file"),
  work: async () => (await import("../checking/lock-servers.ts")).lockServers,
};

const diff: CommandSpec = {
  name: "diff",
  does: "what servers offer now that they did not, and the other way round",
  about: [
    "Compares what the servers offer with the file that hostside lock wrote. A change is breaking where calls or prompts that worked may not work any more, security where a model is told another thing or a person approved another one, compatible where it is neither.",
  ],
  examples: {
    "hostside diff": "all servers",
    "hostside diff --strict --json": "for a pipeline",
  },
  json: '{ "file", "changes": [{ "server", "kind": "breaking" | "security" | "compatible", "tool"?, "path", "what" }],\n  "counts": { "breaking", "security", "compatible" }, "failed": [{ "server", "reason" }] }',
  exits: {
    0: "nothing changed, or what changed is compatible",
    1: "something breaking or security-relevant changed; with --strict, anything",
    3: "a server could not be reached, or a part of the configuration not be read, and of the others nothing changed that counts",
  },
  takes: (command) =>
    command
      .argument("[file]", "the lock file (default: hostside-lock.json)")
      .option("--server <name...>", "compare these servers alone")
      .option("--strict", "fail on any change"),
  work: async () => (await import("../checking/lock-servers.ts")).diffServers,
};

/** Commands that look for what is wrong. */
export const examine: readonly CommandSpec[] = [doctor, lock, diff];
