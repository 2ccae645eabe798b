import { Argument } from "commander";
import { exitCodes, usageError } from "../exit-codes.ts";
import { shells, type ShellName } from "../interactive/shell-scripts.ts";
import { findCommand } from "../program/find-option.ts";
import { didYouMean, nearNames } from "../program/near-names.ts";
import { addCommand, type Declare } from "./declare.ts";

const completion: Declare = (program, act) =>
  addCommand(program, "completion", {
    does: "a script that completes command lines of hostside in your shell",
    about: [
      "Prints the script; your shell reads it when it starts. Servers are completed from your configuration and tools from the names that they had last; no server is started for it.",
    ],
    examples: {
      "hostside completion bash >> ~/.bashrc": "for bash",
      'hostside completion zsh > "$fpath[1]/_hostside"': "for zsh",
      "hostside completion fish > ~/.config/fish/completions/hostside.fish": "for fish",
    },
    json: '{ "shell": "bash" | "zsh" | "fish", "script": text }',
  })
    .addArgument(new Argument("[shell]", "default: that of $SHELL").choices(shells))
    .action(
      act((shell: ShellName | undefined) => async (context) => {
        const { printCompletion } = await import("../interactive/shell-scripts.ts");
        return printCompletion({ shell }, context);
      }),
    );

/** Answers the scripts that `completion` prints. */
const complete: Declare = (program, act) =>
  program
    .command("complete", { hidden: true })
    .description("what may come next on a command line")
    .argument("[words...]")
    .action(
      act((words: readonly string[]) => async (context) => {
        const { runCompleteCommand } = await import("../interactive/complete.ts");
        return runCompleteCommand({ program, words }, context);
      }),
    );

const help: Declare = (program, act) =>
  addCommand(program, "help", {
    does: "what a command does, with examples",
    examples: { "hostside help call": "everything about call" },
  })
    .argument("[command]", "the command")
    .action(
      act((name: string | undefined) => async () => {
        const command = name === undefined ? program : findCommand(program, name);
        if (command === undefined) {
          const names = program.commands.map((one) => one.name());
          const hint = didYouMean(nearNames(name ?? "", names)) ?? "hostside --help lists them";
          throw usageError(`unknown command '${name}'`, hint);
        }
        command.outputHelp();
        return exitCodes.pass;
      }),
    );

/** Commands about the command line itself. */
export const more: readonly Declare[] = [completion, complete, help];
