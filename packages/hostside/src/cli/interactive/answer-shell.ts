import { terminalLine } from "../render/one-line.ts";
import type { WordCompletion } from "./complete-words.ts";
import type { ShellName } from "./shell-scripts.ts";
import { quoteFor, type TypedLine } from "./split-line.ts";

/**
 * What a shell's script gets for a completion: a line that says what follows, then a word in each
 * line, as that shell wants it.
 */
export function answerShell(
  completion: WordCompletion,
  shell: ShellName,
  { typed, line, breaks }: { readonly typed?: TypedLine | undefined; readonly line: string; readonly breaks: string },
): string {
  if (completion === "files") return "files\n";
  const words = completion.map(({ value, about = "" }) => {
    if (shell !== "bash") return about === "" ? value : `${value}\t${terminalLine(about, 80)}`;
    return typed === undefined ? value : afterBreak(quoteFor(value, typed.quote), line.slice(typed.start), breaks);
  });
  return ["words", ...new Set(words), ""].join("\n");
}

// Bash takes `a:b` for three words and replaces the last one alone.
function afterBreak(word: string, raw: string, breaks: string): string {
  if (/^["']/.test(raw)) return word;
  for (let at = raw.length - 1; at >= 0; at -= 1) {
    if (":=@".includes(raw.charAt(at)) && breaks.includes(raw.charAt(at)) && word.startsWith(raw.slice(0, at + 1)))
      return word.slice(at + 1);
  }
  return word;
}
