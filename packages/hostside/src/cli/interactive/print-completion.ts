import { basename } from "node:path";
import type { CommandWork } from "../command-context.ts";
import { exitCodes, usageError } from "../exit-codes.ts";
import { shells, shellScripts, type ShellName } from "./shell-scripts.ts";

/** Prints what a shell reads to complete command lines. */
export const printCompletion: CommandWork<{ readonly shell: ShellName | undefined }> = async ({ shell }, context) => {
  const { terminal, options } = context;
  const chosen = shell ?? shellOf(terminal.env["SHELL"]);
  const script = shellScripts[chosen];
  terminal.out(options.json === true ? `${JSON.stringify({ shell: chosen, script }, undefined, 2)}\n` : script);
  return exitCodes.pass;
};

function shellOf(path: string | undefined): ShellName {
  const name = basename(path ?? "");
  const found = shells.find((shell) => shell === name);
  if (found !== undefined) return found;
  const said = path === undefined || path === "" ? "SHELL is not set" : `there is no completion for ${name}`;
  throw usageError(`${said}: name the shell`, `hostside completion ${shells.join("|")}`);
}
