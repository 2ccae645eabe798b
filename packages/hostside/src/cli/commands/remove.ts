import { describePage } from "../program/describe-page.ts";
import type { Declare } from "../program/declare.ts";
import type { RemoveArguments } from "../configuring/remove-server.ts";

/** `remove NAME`. */
export const declareRemove: Declare = (program, run) => {
  const command = program
    .command("remove")
    .description("take a server out of a hostside.json")
    .argument("<name>", "the server")
    .option("--user", "out of yours alone")
    .option("--project", "out of that of the project alone")
    .option("--dry-run", "show what would be removed")
    .action((name: string, options: Omit<RemoveArguments, "name">) =>
      run(async (context) =>
        (await import("../configuring/remove-server.ts")).removeServer({ ...options, name }, context),
      ),
    );
  describePage(command, {
    purpose: "Set up",
    about: ["A server that another tool's file brings stays there: hostside disable has it off here."],
    examples: [{ line: "hostside remove files", does: "the server files, wherever a hostside.json has it" }],
    json: '{ "changes": [{ "file", "name", "change": "removed" }], "edits": [{ "file", "path" }], "notes": […], "dryRun" }',
    exits: { 2: "there is no such server, or another tool's file brings it" },
  });
};
