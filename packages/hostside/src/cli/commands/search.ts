import { InvalidArgumentError } from "commander";
import { describePage } from "../program/describe-page.ts";
import type { Declare } from "../program/declare.ts";

/** `search WORDS…`. */
export const declareSearch: Declare = (program, run) => {
  const command = program
    .command("search")
    .description("the tools that a model would find, with scores")
    .argument("<words...>", "what the tool does, or the beginning of its name")
    .option("--limit <number>", "most tools to show, up to 64", readLimit, 10)
    .action((words: readonly string[], { limit }: { readonly limit: number }) =>
      run(async (context) => (await import("../listing/search-tools.ts")).runSearchCommand({ words, limit }, context)),
    );
  describePage(command, {
    purpose: "Look",
    about: ["Ranks the tools of all servers as tools_search does for a model. Scores compare within one search alone."],
    examples: [
      { line: "hostside search read a file", does: "the ten best" },
      { line: "hostside search issue --limit 3 --json", does: "three, for a script" },
    ],
    json: "{ query, totalTools,\n  tools: [{ name, server, tool, title?,\n    description, effect, tokens, match?, score? }] }",
    exits: { 1: "nothing was found" },
  });
};

function readLimit(text: string): number {
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > 64) {
    throw new InvalidArgumentError("It must be a whole number from 1 to 64.");
  }
  return limit;
}
