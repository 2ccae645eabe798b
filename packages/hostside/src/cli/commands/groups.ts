import { describePage } from "../program/describe-page.ts";
import type { Declare } from "../program/declare.ts";

/** `groups`. */
export const declareGroups: Declare = (program, run) => {
  const command = program
    .command("groups")
    .description("the groups of tools, what each is about and costs")
    .action(() => run(async (context) => (await import("../listing/list-groups.ts")).runGroupsCommand({}, context)));
  describePage(command, {
    purpose: "Look",
    about: [
      "Shows the directory that a model reads before it asks for tools: a group for each server, and those of the host.",
    ],
    examples: [{ line: "hostside groups", does: "all groups" }],
    json: "{ groups: [{ id, title, about, tools, tokens }] }",
    exits: { 1: "there are none" },
  });
};
