import type { Command, Option } from "commander";

/** A command by its name, or another name of it. */
export function findCommand(command: Command, name: string): Command | undefined {
  return command.commands.find((one) => one.name() === name || one.aliases().includes(name));
}

/** An option of a command, or of one above it. */
export function findOption(command: Command, flag: string): Option | undefined {
  const found = command.options.find(({ long, short }) => long === flag || short === flag);
  return found ?? (command.parent === null ? undefined : findOption(command.parent, flag));
}
