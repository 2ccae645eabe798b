import { describePage } from "../program/describe-page.ts";
import type { Declare } from "../program/declare.ts";

/** `lock [file]`. */
export const declareLock: Declare = (program, run) => {
  const command = program
    .command("lock")
    .description("write down what the servers offer")
    .argument("[file]", "the lock file (default: hostside-lock.json)")
    .option("--server <name...>", "ask these servers alone; the others stay as they are in the file")
    .action((file: string | undefined, { server }: { readonly server?: readonly string[] }) =>
      run(async (context) =>
        (await import("../checking/lock-servers.ts")).lockServers({ file, servers: server }, context),
      ),
    );
  describePage(command, {
    purpose: "Examine",
    about: [
      "Writes every tool's whole definition down, server by server, with a hash: keep the file with your code. hostside diff says what changed since, and a policy holds tools back that are not the ones in it: pins: { locks: JSON.parse(text).servers }.",
      "A server that cannot be reached keeps the lock that it has. The file is written whole or not at all.",
    ],
    examples: [
      { line: "hostside lock", does: "all servers, to hostside-lock.json" },
      { line: "hostside lock --server github", does: "accepts what github offers now" },
    ],
    json: '{ "file", "written": boolean, "locked": [{ "server", "tools": number, "hash", "was": "new" | "same" | "changed" }],\n  "kept": [{ "server", "reason" }], "removed": [server], "failed": [{ "server", "reason" }] }',
    exits: {
      2: "the file is something else, or cannot be written",
      4: "a server could not be reached; the others are written",
    },
  });
};
