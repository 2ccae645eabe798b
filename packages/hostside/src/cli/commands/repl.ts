import { describePage } from "../program/describe-page.ts";
import type { Declare } from "../program/declare.ts";

/** `repl`. */
export const declareRepl: Declare = (program, run, runLine) => {
  const command = program
    .command("repl")
    .description("connect once, then type calls with completion")
    .action(() =>
      run(async (context) => (await import("../interactive/run-repl.ts")).runRepl({ program, runLine }, context)),
    );
  describePage(command, {
    purpose: "Use",
    about: [
      "Each line is one of the commands list, show, call, search, groups and help, without hostside in front and quoted as in a shell; exit or Ctrl-D ends. Tab completes commands, servers, tools and the arguments of a tool. Ctrl-C clears the line, or ends the call that is under way.",
      "Where stdin is no terminal, its lines are run one after the other, and it exits with what the first one exits with that fails; blank ones and those that begin with # are left out. Lines are remembered until it ends, and written nowhere.",
    ],
    examples: [
      { line: "hostside repl", does: "every server that is configured, until Ctrl-D" },
      { line: "hostside repl < calls.txt", does: "runs the lines of a file" },
      { line: "hostside --config mcp.json --json repl < calls.txt", does: "one JSON document for each line" },
    ],
    json: "one document for each line: that of its command",
  });
};
