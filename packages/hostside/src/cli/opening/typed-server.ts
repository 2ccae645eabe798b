import type { Command } from "commander";
import { basename } from "node:path";
import { findCommand, findOption } from "../program/find-option.ts";
import { mayInstall } from "./installers.ts";
import type { TypedServer } from "../command-context.ts";

/** A command line, and the server that it had in it. */
export interface TakenServer {
  /** With the id of the server where its command names one, else without it. */
  readonly line: readonly string[];
  readonly server?: TypedServer;
}

const namingOne: ReadonlySet<string> = new Set(["list", "doctor", "login", "logout", "auth"]);
const namingNone: ReadonlySet<string> = new Set(["call", "show", "search", "serve"]);

/**
 * Takes a server out of a command line: `list https://example.com/mcp`, `list -- npx -y server`,
 * `call -- npx -y server -- tool`. If more words have to follow, a program ends with another `--`.
 * Without it there is no program: a word behind `--` never starts one by mistake. Pure.
 */
export function takeTypedServer(argv: readonly string[], program: Command): TakenServer {
  const { at, name } = findFirst(argv, program);
  const word = argv[at];
  if (word === undefined || !(namingOne.has(name) || namingNone.has(name))) return { line: argv };
  const behind = argv.slice(at + 1);
  const take = (words: readonly string[], after: readonly string[]): TakenServer => {
    const id = idOf(words);
    return { line: [...argv.slice(0, at), ...(namingOne.has(name) ? [id] : []), ...after], server: { id, words } };
  };
  if (/^https?:\/\//i.test(word)) return take([word], behind);
  if (word !== "--" || behind.length === 0) return { line: argv };
  if (namingOne.has(name) || name === "serve") return take(behind, []);
  const end = behind.indexOf("--");
  return end < 1 ? { line: argv } : take(behind.slice(0, end), behind.slice(end + 1));
}

/** Finds the first word that is neither a command nor an option or its value; or `--`. */
function findFirst(argv: readonly string[], program: Command): { readonly at: number; readonly name: string } {
  let command = program;
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? "";
    const next = command === program && word !== "--" ? findCommand(program, word) : undefined;
    if (next !== undefined) command = next;
    else if (word === "--" || !word.startsWith("-")) return { at, name: command.name() };
    else if (findOption(command, word)?.required === true) at += 1;
  }
  return { at: argv.length, name: command.name() };
}

// What people call it: its host, its package, or its program.
function idOf([first = "", ...args]: readonly string[]): string {
  if (/^https?:\/\//i.test(first)) return URL.canParse(first) ? new URL(first).host : first;
  const isInstalled = mayInstall({ id: "", type: "stdio", command: first, args });
  const named = isInstalled ? args.find((word) => !/^-|^(?:exec|dlx|x|run|tool)$/.test(word)) : undefined;
  const name = basename((named ?? first).replaceAll("\\", "/")).replace(/(?<=.)@.*$|\.(?:exe|cmd|[cm]?js|py)$/i, "");
  return name === "" ? "server" : name;
}
