import { describePage } from "../program/describe-page.ts";
import type { Declare } from "../program/declare.ts";

interface DiffOptions {
  readonly server?: readonly string[];
  readonly strict?: boolean;
}

/** `diff [file]`. */
export const declareDiff: Declare = (program, run) => {
  const command = program
    .command("diff")
    .description("what servers offer now that they did not, and the other way round")
    .argument("[file]", "the lock file (default: hostside-lock.json)")
    .option("--server <name...>", "compare these servers alone")
    .option("--strict", "fail on any change")
    .action((file: string | undefined, { server, strict = false }: DiffOptions) =>
      run(async (context) =>
        (await import("../checking/diff-servers.ts")).diffServers({ file, servers: server, strict }, context),
      ),
    );
  describePage(command, {
    purpose: "Examine",
    about: [
      "Compares what the servers offer with the file that hostside lock wrote. A change is breaking where calls or prompts that worked may not work any more, security where a model is told another thing or a person approved another one, compatible where it is neither.",
    ],
    examples: [
      { line: "hostside diff", does: "all servers" },
      { line: "hostside diff --strict --json", does: "for a pipeline" },
    ],
    json: '{ "file", "changes": [{ "server", "kind": "breaking" | "security" | "compatible", "tool"?, "path", "what" }],\n  "counts": { "breaking", "security", "compatible" }, "failed": [{ "server", "reason" }] }',
    exits: {
      0: "nothing changed, or what changed is compatible",
      1: "something breaking or security-relevant changed; with --strict, anything",
      3: "a server could not be reached, or a part of the configuration not be read, and of the others nothing changed that counts",
    },
  });
};
