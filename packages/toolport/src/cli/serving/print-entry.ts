import { resolve } from "node:path";
import { findConfigFiles } from "@toolport/config/node";
import type { CommandContext } from "../command-context.ts";
import { exitCodes } from "../exit-codes.ts";
import { printJson } from "../render/print.ts";
import type { EntryHost } from "./entry-hosts.ts";
import { describeEntry, type EntryWish } from "./host-entry.ts";
import type { ServeArguments } from "./serve-arguments.ts";

/** Prints the entry that has a host start this very command line, or reach it: the entry on stdout, what to do with it on stderr. */
export function printEntry(
  host: EntryHost,
  {
    given,
    http,
  }: {
    readonly given: ServeArguments;
    readonly http?: { readonly url: string; readonly tokenFile: string } | undefined;
  },
  { terminal, options }: CommandContext,
): number {
  const { env, home, platform } = terminal;
  const wish: EntryWish =
    http === undefined ? { over: "stdio", args: argumentsOf(given, { terminal, options }) } : { over: "http", ...http };
  const entry = describeEntry(host, wish, { env, home, platform });
  if (options.json === true) {
    printJson(terminal, entry);
    return exitCodes.pass;
  }
  terminal.out(entry.text);
  const isThere = findConfigFiles({ env, home, platform, cwd: terminal.cwd }).some(({ path }) => path === entry.file);
  const what = isThere ? "add this to" : "this is all of";
  terminal.err(`For ${entry.title}, ${what} ${entry.file}\n`);
  for (const note of entry.notes) terminal.err(`${terminal.paintErr("warn", "note:")} ${note}\n`);
  return exitCodes.pass;
}

// A host starts it in a folder of its own, so that paths are whole.
function argumentsOf(given: ServeArguments, { terminal, options }: CommandContext): readonly string[] {
  const { expose = "search", readOnly, ask, redact, lock } = given;
  const path = (file: string): string => resolve(terminal.cwd, file);
  return [
    "--expose",
    expose,
    ...(readOnly === true ? ["--read-only"] : []),
    ...(ask === true ? ["--ask"] : []),
    ...(redact === true ? ["--redact"] : []),
    ...(lock === undefined ? [] : ["--lock", path(lock)]),
    ...(options.config ?? []).flatMap((file) => ["--config", path(file)]),
    ...(options.timeout === undefined ? [] : ["--timeout", String(options.timeout)]),
    ...(options.verbose === true ? ["--verbose"] : []),
  ];
}
