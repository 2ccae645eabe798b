import type { Command } from "commander";
import { describePage } from "../program/configure-pages.ts";
import type { Declare } from "../program/declare.ts";
import type { SwitchArguments } from "../configuring/switch-servers.ts";

type SwitchOptions = Omit<SwitchArguments, "names">;

/** `enable NAME...`. */
export const declareEnable: Declare = (program, run) => {
  const command = switchCommand(program, "enable", "use servers again that were disabled").action(
    (names: readonly string[], options: SwitchOptions) =>
      run(async (context) =>
        (await import("../configuring/switch-servers.ts")).enableServers({ ...options, names }, context),
      ),
  );
  describePage(command, {
    purpose: "Set up",
    about: ["Takes back what hostside disable wrote, in every hostside.json that is read here."],
    examples: [{ line: "hostside enable github", does: "use github again" }],
    json: jsonOf("enabled"),
    exits: { 2: "there is no such server, or another tool's file has it off" },
  });
};

/** `disable NAME...`. */
export const declareDisable: Declare = (program, run) => {
  const command = switchCommand(program, "disable", "keep servers, and do not use them")
    .option("--user", "in your hostside.json")
    .option("--project", "in that of the project")
    .action((names: readonly string[], options: SwitchOptions) =>
      run(async (context) =>
        (await import("../configuring/switch-servers.ts")).disableServers({ ...options, names }, context),
      ),
    );
  describePage(command, {
    purpose: "Set up",
    about: [
      'A server of a hostside.json gets "disabled": true there. One that another tool\'s file brings is put on the list "denyServers" of your hostside.json, and that file stays as it is.',
    ],
    examples: [
      { line: "hostside disable github", does: "no longer use github" },
      { line: "hostside disable github --project", does: "not in this project" },
    ],
    json: jsonOf("disabled"),
    exits: { 2: "there is no such server" },
  });
};

function switchCommand(program: Command, name: string, description: string): Command {
  return program.command(name).description(description).argument("<name...>", "the servers");
}

function jsonOf(change: string): string {
  return `{ "changes": [{ "file", "name", "change": "${change}" | "unchanged" }], "notes": […] }`;
}
