/** Shells that completion is there for. */
export const shells = ["bash", "zsh", "fish"] as const;

/** One of them. */
export type ShellName = (typeof shells)[number];

// The first line of an answer is `files` or `words`; each other line is a word, and for zsh and
// fish a tab and what it is.
const bash = String.raw`# bash completion for hostside
_hostside() {
  local line kind="" IFS=$'\n'
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ -z $kind ]]; then kind=$line; else COMPREPLY+=("$line"); fi
  done < <("$1" complete --shell bash --breaks "$COMP_WORDBREAKS" --line "${"$"}{COMP_LINE:0:COMP_POINT}" 2>/dev/null)
  if [[ $kind == files ]]; then
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "$2"))
  fi
}
complete -F _hostside hostside
`;

const zsh = String.raw`#compdef hostside
_hostside() {
  local line kind=""
  local -a values shown
  while IFS= read -r line; do
    if [[ -z $kind ]]; then kind=$line; continue; fi
    values+=("${"$"}{line%%$'\t'*}")
    shown+=("${"$"}{line/$'\t'/  -- }")
  done < <("${"$"}{(Q)words[1]}" complete --shell zsh -- "${"$"}{(@Q)words[2,CURRENT-1]}" "${"$"}{(Q)PREFIX}" 2>/dev/null)
  if [[ $kind == files ]]; then compset -P '-*='; _files; else compadd -l -d shown -a values; fi
}
if [[ $funcstack[1] == _hostside ]]; then _hostside "$@"; else compdef _hostside hostside; fi
`;

const fish = String.raw`# fish completion for hostside
function __hostside_complete
    set -l answer (hostside complete --shell fish --line (commandline -cp | string collect) 2>/dev/null)
    if test "$answer[1]" = files
        set -l word (commandline -ct)
        set -l option (string match -r -- '^-[^=]*=' $word; or echo)
        printf '%s\n' $option(__fish_complete_path (string replace -- "$option" '' $word))
    else
        printf '%s\n' $answer[2..-1]
    end
end
complete -c hostside -f -a '(__hostside_complete)'
`;

/** What a shell reads to complete command lines of hostside. */
export const shellScripts: Readonly<Record<ShellName, string>> = { bash, zsh, fish };
