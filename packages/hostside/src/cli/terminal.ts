import { createRequire } from "node:module";
import { homedir } from "node:os";
import type * as util from "node:util";
import { replaceUnseen, untilAborted } from "@hostside/core/implement";
import { usageError } from "./exit-codes.ts";

/** Returns `node:util`, which a command loads where it needs it: an import of it takes long. */
export function loadUtil(): typeof util {
  return process.getBuiltinModule("node:util");
}

/** Everything that a command reads and writes besides its arguments. */
export interface Terminal {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  /** Writes results. */
  readonly out: (text: string) => void;
  /** Writes what a program reads, character for character. Default: {@linkcode out}. */
  readonly outWhole?: (text: string) => void;
  /** Writes progress, questions, mistakes and problems. */
  readonly err: (text: string) => void;
  /** {@linkcode out} is a terminal on which lines can be replaced. */
  readonly isLive: boolean;
  /** A person can be asked: questions are written to stderr and answered on stdin. */
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
  /** The version of Node, such as `22.1.0`. */
  readonly nodeVersion: string;
  /**
   * The path of Node and the script, as this command line was started.
   * Absent: not known.
   */
  readonly program?: { readonly node: string; readonly script: string } | undefined;
  /** Aborts on Ctrl-C. */
  readonly signal: AbortSignal;
  /**
   * Called when nobody takes the rest of what was written: the process ends without waiting for its
   * reader, as Node would.
   */
  readonly dropOutput?: () => void;
}

/** The look of a text. */
export type Style = "good" | "bad" | "warn" | "dim" | "bold" | "name";

// Where each begins and ends, in place of `styleText`: to import `node:util` takes 10 ms.
const formats = { good: [32, 39], bad: [31, 39], warn: [33, 39], dim: [2, 22], bold: [1, 22], name: [36, 39] } as const;

/** The process's own streams. */
export function processTerminal({ signal, dropOutput }: Required<Pick<Terminal, "signal" | "dropOutput">>): Terminal {
  const { stdin, stdout, stderr, env, platform, versions } = process;
  const [, script] = process.argv;
  return {
    stdin,
    stdout,
    stderr,
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    isLive: stdout.isTTY && env["TERM"] !== "dumb",
    canAsk: stdin.isTTY && stderr.isTTY,
    columns: columnsOf(stdout, stderr),
    paint: painter(isColored(stdout, env)),
    paintErr: painter(isColored(stderr, env)),
    env,
    cwd: process.cwd(),
    home: homedir(),
    platform,
    nodeVersion: versions.node,
    ...(script !== undefined && { program: { node: process.execPath, script } }),
    signal,
    dropOutput,
  };
}

/**
 * Columns of the first stream that knows its own: one without a terminal has none, and a terminal
 * without a size has 0.
 */
export function columnsOf(...streams: readonly { readonly columns?: number | undefined }[]): number {
  return streams.find(({ columns = 0 }) => columns > 0)?.columns ?? 80;
}

/** The same terminal with colours in any case, in none, or as it was. */
export function withColor(terminal: Terminal, color: boolean | undefined): Terminal {
  return color === undefined ? terminal : { ...terminal, paint: painter(color), paintErr: painter(color) };
}

/**
 * The same terminal, to which nothing can be written that it obeys, but for the styles of
 * {@linkcode painter}: names of files and of servers come from anywhere.
 */
export function withSafeOutput(terminal: Terminal): Terminal {
  const { out, err, paint, paintErr } = terminal;
  const safe = (write: Terminal["out"], isPainted: boolean) => (text: string) => {
    const pieces = isPainted ? text.split(styleSequence) : [text];
    write(pieces.map((piece, index) => (index % 2 === 1 ? piece : replaceUnseen(piece, escape))).join(""));
  };
  return {
    ...terminal,
    outWhole: terminal.outWhole ?? out,
    out: safe(out, paint("bold", "x") !== "x"),
    err: safe(err, paintErr("bold", "x") !== "x"),
  };
}

const styleSequence = /(\u001B\[(?:1|2|22|31|32|33|36|39)m)/;

function escape(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

/**
 * Tells whether a stream shows colours: https://no-color.org and
 * https://force-color.org, of which the first wins.
 */
export function isColored(stream: { readonly isTTY?: boolean | undefined }, env: Terminal["env"]): boolean {
  if ((env["NO_COLOR"] ?? "") !== "") return false;
  const forced = env["FORCE_COLOR"];
  if (forced !== undefined) return forced !== "0" && forced !== "false";
  return stream.isTTY === true && env["TERM"] !== "dumb";
}

/** Makes texts look like what they are, or leaves them alone. */
export function painter(isOn: boolean): Terminal["paint"] {
  return (style, text) => {
    const [begin, end] = formats[style];
    return isOn ? `\u001B[${begin}m${text}\u001B[${end}m` : text;
  };
}

/**
 * The version of hostside. It is found by its name, because built files lie elsewhere than sources.
 */
export function readVersion(): string {
  const { version } = createRequire(import.meta.url)("hostside/package.json") as { readonly version: string };
  return version;
}

/**
 * Reads all of stdin, until the terminal's signal aborts. Rejects with a usage error where it has
 * more than `mostMiB`.
 */
export async function readStdin(
  { stdin, signal }: Pick<Terminal, "stdin" | "signal">,
  mostMiB: number,
): Promise<Buffer> {
  const read = async (): Promise<Buffer> => {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of stdin as AsyncIterable<Buffer | string>) {
      const bytes = Buffer.from(chunk as string);
      chunks.push(bytes);
      size += bytes.length;
      if (size > mostMiB * 1024 * 1024) throw usageError(`stdin has more than ${mostMiB} MiB`);
    }
    return Buffer.concat(chunks);
  };
  return untilAborted(read(), signal);
}
