import type { Command } from "commander";
import { describePage } from "../program/configure-pages.ts";
import type { Declare } from "../program/declare.ts";
import { exitCodes, usageError } from "../exit-codes.ts";
import { didYouMean, nearNames } from "../program/near-names.ts";

/** `help [command]`. */
export const declareHelp: Declare = (program, run) => {
  const command = program
    .command("help")
    .description("what a command does, with examples")
    .argument("[command...]", "the command")
    .action((names: readonly string[]) =>
      run(async () => {
        findCommand(program, names).outputHelp();
        return exitCodes.pass;
      }),
    );
  describePage(command, {
    purpose: "More",
    examples: [{ line: "hostside help call", does: "everything about call" }],
  });
};

function findCommand(program: Command, names: readonly string[]): Command {
  let found = program;
  for (const name of names) {
    const next = found.commands.find((one) => one.name() === name || one.aliases().includes(name));
    if (next === undefined) throw unknownCommand(found, name);
    found = next;
  }
  return found;
}

function unknownCommand(parent: Command, name: string): Error {
  const near = nearNames(
    name,
    parent.commands.map((one) => one.name()),
  );
  return usageError(`unknown command '${name}'`, didYouMean(near) ?? "hostside --help lists them");
}
