import type { CheckOptions } from "../checking/check-servers.ts";
import { addCommand, collect, type Declare } from "./declare.ts";

interface ServerOption {
  readonly server?: readonly string[];
}

const doctor: Declare = (program, act) =>
  addCommand(program, "doctor", {
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
    exits: { 0: "no problem; there may be advice", 1: "there is a problem", 3: "it was interrupted" },
  })
    .argument("[server]", "one server alone")
    .action(
      act(
        (server: string | undefined) => async (context) =>
          (await import("../examining/doctor.ts")).doctor({ server }, context),
      ),
    );

const lock: Declare = (program, act) =>
  addCommand(program, "lock", {
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
    exits: {
      2: "the file is something else, or cannot be written",
      4: "a server could not be reached; the others are written",
    },
  })
    .argument("[file]", "the lock file (default: hostside-lock.json)")
    .option("--server <name...>", "ask these servers alone; the others stay as they are in the file")
    .action(
      act(
        (file: string | undefined, { server: servers }: ServerOption) =>
          async (context) =>
            (await import("../checking/lock-servers.ts")).lockServers({ file, servers }, context),
      ),
    );

const diff: Declare = (program, act) =>
  addCommand(program, "diff", {
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
  })
    .argument("[file]", "the lock file (default: hostside-lock.json)")
    .option("--server <name...>", "compare these servers alone")
    .option("--strict", "fail on any change")
    .action(
      act(
        (file: string | undefined, { server: servers, strict }: ServerOption & { readonly strict?: boolean }) =>
          async (context) =>
            (await import("../checking/lock-servers.ts")).diffServers({ file, servers, strict }, context),
      ),
    );

const check: Declare = (program, act) =>
  addCommand(program, "check", {
    does: "whether servers keep to the protocol",
    about: [
      "Runs the checks of @hostside/conformance, which has to be installed beside hostside: npm install --save-dev hostside @hostside/conformance. For those who write a server, and for those who wonder whether one is to blame.",
      "Only tools that declare themselves read-only are called, unless --call or --allow-calls says more.",
    ],
    examples: {
      "hostside check files": "one server, with all checks",
      "hostside check files --only stdio --report report.html": "one area, and a page of it",
    },
    json: '{ "reports": [{ "server", "report": as report.schema.json of @hostside/conformance }] }',
    exits: {
      0: "every server passes",
      1: "one fails",
      2: "the kit is not installed",
      3: "something could not be checked, such as an entry that cannot be used",
      4: "a server could not be reached",
      5: "a server wants somebody to sign in",
    },
  })
    .argument("[server]", "one server alone")
    .option("--only <check>", "run these checks, by id or area, and what they need; can be given again", collect)
    .option("--skip <check>", "leave these out; can be given again", collect)
    .option("--strict", "what a server should do counts as well")
    .option("--call <tool>", "a tool that may be called, or NAME={arguments as JSON}; can be given again", collect)
    .option("--allow-calls", "every tool may be called, with arguments made from its schema")
    .option(
      "--report <file>",
      "write the report: .json, .xml (JUnit), .sarif, .html or .md; can be given again",
      collect,
    )
    .action(
      act(
        (server: string | undefined, options: CheckOptions) => async (context) =>
          (await import("../checking/check-servers.ts")).checkServers({ ...options, server }, context),
      ),
    );

/** Commands that look for what is wrong. */
export const examine: readonly Declare[] = [doctor, lock, diff, check];
