import type { CommandIo } from "../src/cli/command-io.ts";
import { runCommand } from "../src/cli/run-command.ts";
import { plain } from "../src/report/text-style.ts";

/** What a command line of the kit came to. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command line of the kit in this process, away from any terminal. */
export async function runKit(argv: readonly string[], more: Partial<CommandIo> = {}): Promise<Ran> {
  const written = { out: "", err: "" };
  const io: CommandIo = {
    out: (text) => (written.out += text),
    err: (text) => (written.err += text),
    live: false,
    style: plain,
    columns: 80,
    signal: new AbortController().signal,
    now: () => new Date("2026-11-22T00:00:00Z"),
    ...more,
  };
  return { code: await runCommand(argv, io), ...written };
}
