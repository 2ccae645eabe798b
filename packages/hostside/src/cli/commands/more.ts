import { findMeant } from "@hostside/core/implement";
import { Argument } from "commander";
import type { CommandWork } from "../command-context.ts";
import { didYouMean, exitCodes, usageError } from "../exit-codes.ts";
import { shells } from "../interactive/shell-scripts.ts";
import { findCommand } from "../program/find-option.ts";
import type { CommandSpec } from "./declare.ts";

const completion: CommandSpec = {
  name: "completion",
  does: "print a completion script for your shell",
  about: [
    "Your shell reads the script when it starts. Servers come from your configuration, tools from their latest names. No server is started.",
  ],
  examples: {
    "hostside completion bash >> ~/.bashrc": "for bash",
    'hostside completion zsh > "$fpath[1]/_hostside"': "for zsh",
    "hostside completion fish > ~/.config/fish/completions/hostside.fish": "for fish",
  },
  json: '{ "shell": "bash" | "zsh" | "fish", "script": text }',
  takes: (command) => command.addArgument(new Argument("[shell]", "default: from $SHELL").choices(shells)),
  work: async () => (await import("../interactive/shell-scripts.ts")).printCompletion,
};

/** Answers the scripts that `completion` prints. */
const complete: CommandSpec = {
  name: "complete",
  isHidden: true,
  does: "what may come next on a command line",
  examples: {},
  takes: (command) => command.argument("[words...]"),
  work: async () => (await import("../interactive/complete.ts")).runCompleteCommand,
};

const help: CommandSpec = {
  name: "help",
  does: "show a command with examples",
  examples: { "hostside help call": "everything about call" },
  takes: (command) => command.argument("[command]", "the command"),
  work: async () => showHelp,
};

const showHelp: CommandWork<{ readonly command: string | undefined }> = async ({ command: name }, { program }) => {
  const command = name === undefined ? program : program && findCommand(program, name);
  if (command === undefined) {
    const near = findMeant(name ?? "", program?.commands ?? [], (one) => [one.name()]).map((one) => one.name());
    throw usageError(`unknown command '${name}'`, didYouMean(near) ?? "hostside --help lists them");
  }
  command.outputHelp();
  return exitCodes.pass;
};

/** Commands about the command line itself. */
export const more: readonly CommandSpec[] = [completion, complete, help];
