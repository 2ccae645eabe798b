import { homedir } from "node:os";
import { styleText } from "node:util";

/** What a command reads and writes besides its arguments. */
export interface Terminal {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  /** For results. */
  readonly out: (text: string) => void;
  /** For progress, questions, mistakes and problems. */
  readonly err: (text: string) => void;
  /** Whether {@linkcode out} is a terminal on which lines can be replaced. */
  readonly isLive: boolean;
  /** Whether a person can be asked: questions are written to stderr and answered on stdin. */
  readonly canAsk: boolean;
  /** Columns of the terminal. */
  readonly columns: number;
  /** Colours, or texts as they are: without a terminal, with `NO_COLOR`, with `--no-color`. */
  readonly paint: (style: Style, text: string) => string;
  readonly paintErr: (style: Style, text: string) => string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly home: string;
  readonly platform: string;
  /** Aborts on Ctrl-C. */
  readonly signal: AbortSignal;
}

/** What a text looks like. */
export type Style = "good" | "bad" | "warn" | "dim" | "bold" | "name";

const formats = { good: "green", bad: "red", warn: "yellow", dim: "dim", bold: "bold", name: "cyan" } as const;

/** The process's own streams. */
export function processTerminal(signal: AbortSignal): Terminal {
  const { stdin, stdout, stderr, env, platform } = process;
  const isRich = (stream: NodeJS.WriteStream): boolean =>
    stream.isTTY && (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb";
  const painter = (stream: NodeJS.WriteStream) => (style: Style, text: string) =>
    isRich(stream) ? styleText(formats[style], text, { validateStream: false }) : text;
  return {
    stdin,
    stdout,
    stderr,
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    isLive: stdout.isTTY && env["TERM"] !== "dumb",
    canAsk: stdin.isTTY && stderr.isTTY,
    columns: stdout.columns ?? stderr.columns ?? 80,
    paint: painter(stdout),
    paintErr: painter(stderr),
    env,
    cwd: process.cwd(),
    home: homedir(),
    platform,
    signal,
  };
}
