import { exitCodes } from "../engine/run-report.ts";
import { colours, plain, type TextStyle } from "../report/text-style.ts";

/** What a command reads and writes besides its arguments. */
export interface CommandIo {
  /** For results. */
  readonly out: (text: string) => void;
  /** For progress, mistakes and problems. */
  readonly err: (text: string) => void;
  /** Whether {@linkcode err} is a terminal, on which a line can be replaced. */
  readonly live: boolean;
  /** Styles for {@linkcode out}. */
  readonly style: TextStyle;
  /** Columns of the terminal. */
  readonly columns: number;
  /** Aborts on Ctrl-C. */
  readonly signal: AbortSignal;
  readonly now: () => Date;
}

/** The process's own streams. `NO_COLOR` is honoured. */
export function processIo(signal: AbortSignal): CommandIo {
  const { stdout, stderr, env } = process;
  const coloured = stdout.isTTY && (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb";
  return {
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    live: stderr.isTTY && env["TERM"] !== "dumb",
    style: coloured ? colours : plain,
    columns: stderr.columns ?? 80,
    signal,
    now: () => new Date(),
  };
}

/** Tells what is wrong, and resolves with what the process exits with. */
export function refuse(problem: string, { err }: Pick<CommandIo, "err">, exitCode: number = exitCodes.usage): number {
  err(`${problem}\n`);
  return exitCode;
}

/** What an error says, or what was thrown in place of one. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
