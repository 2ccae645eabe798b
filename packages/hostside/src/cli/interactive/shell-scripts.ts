import { basename } from "node:path";
import type { CommandWork } from "../command-context.ts";
import { usageError } from "../exit-codes.ts";
import { printResult } from "../render/print.ts";

/** Shells that completion is there for. */
export const shells = ["bash", "zsh", "fish"] as const;

/** The name of one of them. */
export type ShellName = (typeof shells)[number];

/** Prints the script by which a shell completes command lines. */
export const printCompletion: CommandWork<{ readonly shell: ShellName | undefined }> = async ({ shell }, context) => {
  const path = context.terminal.env["SHELL"] ?? "";
  const name = shell ?? shells.find((one) => one === basename(path));
  if (name === undefined) {
    const problem = path === "" ? "SHELL is not set" : `there is no completion for ${basename(path)}`;
    throw usageError(`${problem}: name the shell`, `hostside completion ${shells.join("|")}`);
  }
  const script = shellScripts[name];
  return printResult(context, { shell: name, script }, () => [script.trimEnd()]);
};

// Bash takes `a:b` for several words, and replaces the last one alone.
const bash = String.raw`# bash completion for hostside
_hostside() {
  local line head words IFS=$'\n' text=${"$"}{COMP_LINE:0:COMP_POINT}
  COMPREPLY=()
  IFS=$' \t' read -ra words <<< "$text"
  if [[ $text == *[[:blank:]] ]]; then words+=(""); fi
  head=${"$"}{words[${"$"}{#words[@]}-1]}
  head=${"$"}{head%"$2"}
  while IFS= read -r line; do
    line=${"$"}{line%%$'\t'*}
    COMPREPLY+=("${"$"}{line#"$head"}")
  done < <("$1" complete -- "${"$"}{words[@]:1}" 2>/dev/null)
}
complete -o default -F _hostside hostside
`;

const zsh = String.raw`#compdef hostside
_hostside() {
  local line
  local -a values shown
  while IFS= read -r line; do
    values+=("${"$"}{line%%$'\t'*}")
    shown+=("${"$"}{line/$'\t'/  -- }")
  done < <("${"$"}{(Q)words[1]}" complete -- "${"$"}{(@Q)words[2,CURRENT-1]}" "${"$"}{(Q)PREFIX}" 2>/dev/null)
  if (( $#values )); then compadd -l -d shown -a values; else compset -P '-*='; _files; fi
}
if [[ $funcstack[1] == _hostside ]]; then _hostside "$@"; else compdef _hostside hostside; fi
`;

const fish = String.raw`# fish completion for hostside
function __hostside_complete
    set -l typed (commandline -opc)
    set -l word (commandline -ct)
    set -l answer (hostside complete -- $typed[2..-1] "$word" 2>/dev/null)
    if test (count $answer) -gt 0
        printf '%s\n' $answer
    else
        set -l option (string match -r -- '^-[^=]*=' $word; or echo)
        printf '%s\n' $option(__fish_complete_path (string replace -- "$option" '' $word))
    end
end
complete -c hostside -f -a '(__hostside_complete)'
`;

/** The script for each shell. */
export const shellScripts: Readonly<Record<ShellName, string>> = { bash, zsh, fish };
