import { describePage } from "../program/describe-page.ts";
import type { Declare } from "../program/declare.ts";
import type { InitArguments } from "../configuring/init-config.ts";

/** `init`. */
export const declareInit: Declare = (program, run) => {
  const command = program
    .command("init")
    .description("find the servers that you have, and use them")
    .option("--user", "write it for you, everywhere (default)")
    .option("--project", "write ./hostside.json, for whoever works on the project")
    .option("-y, --yes", "take all that is known for sure, and ask nothing")
    .option("--dry-run", "show what would be written")
    .action((options: InitArguments) =>
      run(async (context) => (await import("../configuring/init-config.ts")).initConfig(options, context)),
    );
  describePage(command, {
    purpose: "Set up",
    about: [
      "Looks at the configurations of your other tools (Claude Code, Cursor, VS Code, Codex and others), shows their servers, and writes one hostside.json that imports those that you choose. No other file is touched, and no server is started.",
      "A hostside.json that is there already stays as it is; imports that it lacks are added to it.",
    ],
    examples: [
      { line: "hostside init", does: "choose what is used" },
      { line: "hostside init --yes", does: "use all of it" },
      { line: "hostside init --dry-run --json", does: "what there is, for a script" },
    ],
    json: '{ "found": [{ "tool", "dialect", "file", "scope", "certain", "servers": [{ "name", "starts", "disabled" }], "errors", "warnings" }],\n  "file", "imports": […], "change": "created" | "added" | "unchanged" | "none", "notes": […], "dryRun" }',
    exits: {
      2: "there was nobody to ask, or the hostside.json that is there is broken",
      3: "somebody wanted no more of it",
    },
  });
};
