import { Argument, Option } from "commander";
import { describePage } from "../program/configure-pages.ts";
import type { Declare } from "../program/declare.ts";
import { shells, type ShellName } from "../interactive/shell-scripts.ts";

/** `completion [shell]`. */
export const declareCompletion: Declare = (program, run) => {
  const command = program
    .command("completion")
    .description("a script that completes command lines of hostside in your shell")
    .addArgument(new Argument("[shell]", "default: that of $SHELL").choices(shells))
    .action((shell: ShellName | undefined) =>
      run(async (context) => {
        const { printCompletion } = await import("../interactive/print-completion.ts");
        return printCompletion({ shell }, context);
      }),
    );
  describePage(command, {
    purpose: "More",
    about: [
      "Prints the script; your shell reads it when it starts. Servers are completed from your configuration and tools from the names that they had last; no server is started for it.",
    ],
    examples: [
      { line: "hostside completion bash >> ~/.bashrc", does: "for bash" },
      { line: 'hostside completion zsh > "$fpath[1]/_hostside"', does: "for zsh" },
      { line: "hostside completion fish > ~/.config/fish/completions/hostside.fish", does: "for fish" },
    ],
    json: '{ "shell": "bash" | "zsh" | "fish", "script": text }',
  });
};

/** `complete`, for the scripts that `completion` prints. */
export const declareComplete: Declare = (program, run) => {
  program
    .command("complete", { hidden: true })
    .description("what may come next on a command line")
    .argument("[words...]")
    .addOption(new Option("--shell <shell>").choices(shells).makeOptionMandatory())
    .option("--line <text>")
    .option("--breaks <characters>", "", "")
    .action((words: readonly string[], options: AskedBy) =>
      run(async (context) => {
        const { runCompleteCommand } = await import("../interactive/complete.ts");
        return runCompleteCommand({ program, words, line: undefined, ...options }, context);
      }),
    );
};

interface AskedBy {
  readonly shell: ShellName;
  readonly line?: string;
  readonly breaks: string;
}
