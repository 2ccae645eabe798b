import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PassThrough, Writable } from "node:stream";
import { runCommandLine } from "../src/cli/commands/run-command-line.ts";
import { painter, type Terminal } from "../src/cli/terminal.ts";

/**
 * What a fake terminal is made from. By default nobody is there: no colours, no lines to replace,
 * nobody to ask.
 */
export interface FakeTerminalOptions {
  readonly isLive?: boolean | undefined;
  readonly canAsk?: boolean | undefined;
  readonly hasColors?: boolean | undefined;
  readonly columns?: number | undefined;
  /** Beside `PATH`. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly platform?: string | undefined;
  /** All that stdin holds. Default: it stays open, for `type()`. */
  readonly input?: string | undefined;
}

/** A terminal in memory, with a home and a project in a folder of its own. */
export interface FakeTerminal extends Terminal, Disposable {
  /** All that was written to stdout, and to stderr. */
  readonly written: { out: string; err: string };
  /** Types a text on stdin. */
  type(text: string): void;
  /** Ctrl-C. */
  interrupt(): void;
  /** Writes a file below the working folder, and returns its path. What is no text becomes JSON. */
  file(path: string, content: unknown): string;
}

/**
 * Makes a terminal whose home (`<folder>/home`) and working folder (`<folder>/work`) are removed
 * when it is disposed of.
 */
export function fakeTerminal(options: FakeTerminalOptions = {}): FakeTerminal {
  const { isLive = false, canAsk = false, hasColors = false, columns = 80, platform = "linux" } = options;
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hostside-cli-")));
  const [home, cwd] = [join(folder, "home"), join(folder, "work")];
  for (const one of [home, cwd]) mkdirSync(one);
  const written = { out: "", err: "" };
  const controller = new AbortController();
  const stdin = Object.assign(new PassThrough(), { isTTY: canAsk, setRawMode: () => stdin, isRaw: false, fd: 0 });
  if (options.input !== undefined) stdin.end(options.input);
  const stream = (name: "out" | "err", isTTY: boolean): NodeJS.WriteStream => {
    const writable = new Writable({
      decodeStrings: false,
      write(chunk: string | Buffer, _encoding, done) {
        written[name] += chunk.toString();
        done();
      },
    });
    return Object.assign(writable, { isTTY, columns, rows: 24, fd: 1 }) as unknown as NodeJS.WriteStream;
  };
  const [stdout, stderr] = [stream("out", isLive), stream("err", isLive || canAsk)];
  return {
    stdin: stdin as unknown as NodeJS.ReadStream,
    stdout,
    stderr,
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    isLive,
    canAsk,
    columns,
    paint: painter(hasColors),
    paintErr: painter(hasColors),
    env: { PATH: process.env["PATH"] ?? "", HOME: home, ...options.env },
    cwd,
    home,
    platform,
    nodeVersion: process.versions.node,
    signal: controller.signal,
    written,
    type: (text) => void stdin.write(text),
    interrupt: () => controller.abort(),
    file: (path, content) => {
      const file = join(cwd, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content, undefined, 2));
      return file;
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/**
 * Runs a command line. Resolves to its exit code and what it wrote; what was written before is not
 * among it.
 */
export async function runIn(
  terminal: FakeTerminal,
  argv: readonly string[],
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const before = { ...terminal.written };
  const code = await runCommandLine(argv, terminal);
  const { out, err } = terminal.written;
  return { code, out: out.slice(before.out.length), err: err.slice(before.err.length) };
}
