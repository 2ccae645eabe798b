import { describePage } from "../program/configure-pages.ts";
import type { Declare } from "../program/declare.ts";
import type { AddArguments } from "../configuring/add-server.ts";

type AddOptions = Omit<AddArguments, "name" | "words">;

/** `add NAME [command...]`. */
export const declareAdd: Declare = (program, run) => {
  const collect = (text: string, before: readonly string[] = []): readonly string[] => [...before, text];
  const command = program
    .command("add")
    .description("add a server: a command or a URL")
    .argument("<name>", "what the server is called")
    .argument("[command...]", "a program and its arguments behind --, or a URL")
    .option("--env <NAME=value>", "a variable for the program; NAME alone: yours; can be given again", collect)
    .option("--header <Name: value>", "a header for the URL; can be given again", collect)
    .option("--cwd <folder>", "where the program starts")
    .option("--json-entry <json>", "an entry as READMEs have it; - reads stdin")
    .option("--allow <tool>", "offer this tool alone; can be given again", collect)
    .option("--deny <tool>", "hide this tool; can be given again", collect)
    .option("--user", "for you, everywhere (default)")
    .option("--project", "into ./hostside.json, for whoever works on the project")
    .option("--disabled", "write it, and do not use it yet")
    .option("--replace", "in the place of a server of this name")
    .action((name: string, words: readonly string[], options: AddOptions) =>
      run(async (context) =>
        (await import("../configuring/add-server.ts")).runAddCommand({ ...options, name, words }, context),
      ),
    );
  describePage(command, {
    purpose: "Set up",
    about: [
      "Writes the server into a hostside.json, and keeps its comments. Its entry is checked first, without starting it, and nothing is written where it makes no sense. Whether the program is there is for hostside doctor to say.",
      "Values may be references: ${NAME} is a variable, ${file:path} a file, ${input:id} a question. So secrets stay out of the file.",
    ],
    examples: [
      { line: "hostside add files -- npx -y @modelcontextprotocol/server-filesystem .", does: "a program" },
      {
        line: "hostside add github https://api.githubcopilot.com/mcp/ --header 'Authorization: Bearer ${GITHUB_TOKEN}'",
        does: "a URL",
      },
      { line: "hostside add search --env API_KEY -- npx -y some-search-server", does: "with your own API_KEY" },
      { line: 'hostside add files --json-entry \'{"command":"npx","args":["-y","x"]}\'', does: "from a README" },
    ],
    json: '{ "changes": [{ "file", "name", "change": "added" | "replaced" }], "notes": […] }',
    exits: { 2: "the name is taken, or the entry makes no sense; nothing was written" },
  });
};
