import { describePage } from "../program/describe-page.ts";
import type { Declare } from "../program/declare.ts";
import { exitCodes } from "../exit-codes.ts";

/** `show TOOL`. */
export const declareShow: Declare = (program, run) => {
  const command = program
    .command("show")
    .description("a tool as a model gets it: its schema, tokens, effect and rules")
    .argument("<tool>", "its name, server/tool, or its remote name where one server alone has it")
    .action((tool: string) =>
      run(async (context) => (await import("../listing/show-tool.ts")).showTool({ tool }, context)),
    );
  describePage(command, {
    purpose: "Look",
    about: [
      "Shows name, description and schemas as a model gets them, how many tokens that costs, what is odd about them, and which rule decides over its calls.",
      "Where the name says which server it is on, that one alone is started.",
    ],
    examples: [
      { line: "hostside show files/read_file", does: "starts the server files alone" },
      { line: "hostside show mcp_files_read_file --json", does: "the raw definition, and the facts" },
    ],
    json: "{ definition, server, tool, signature?, tokens,\n  effect, flags, fingerprint?, rules: [sentence] }",
    exits: {
      [exitCodes.unreachable]: "its server could not be reached",
      [exitCodes.authRequired]: "its server wants somebody to sign in",
    },
  });
};
