import { spawn } from "@lydell/node-pty";
import headless from "@xterm/headless";
import { program, type WorkFolder } from "./work-folder.ts";

/** Keys that are no text. */
const keys = {
  enter: "\r",
  tab: "\t",
  escape: "\u001B",
  space: " ",
  backspace: "\u007F",
  up: "\u001B[A",
  down: "\u001B[B",
  right: "\u001B[C",
  left: "\u001B[D",
  "ctrl-c": "\u0003",
  "ctrl-d": "\u0004",
} as const;

/** How a command is started on a terminal. */
export interface TerminalSetting {
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** What is started with the arguments. Default: `hostside`. */
  readonly program?: string | undefined;
}

/** A command on a pseudo-terminal, seen as a person sees it. */
export interface TerminalRun extends AsyncDisposable {
  /**
   * Every line there is, also those that have scrolled away, after all escape sequences; without
   * blanks at the end of each, and of all.
   */
  lines(): readonly string[];
  /** {@linkcode lines} as one text. */
  screen(): string;
  /** Everything that came, byte for byte. */
  raw(): string;
  /**
   * Resolves with the screen as soon as it has what is wanted; rejects with the screen when the
   * command ends without, or after `timeoutMs`.
   */
  waitForScreen(wanted: string | RegExp | ((screen: string) => boolean), timeoutMs?: number): Promise<string>;
  type(text: string): void;
  press(...pressed: readonly (keyof typeof keys)[]): void;
  resize(columns: number, rows: number): void;
  /**
   * The exit code, once all output is on the screen; 128 and the number of the signal for one that
   * was killed.
   */
  readonly exit: Promise<number>;
}

interface Waiter {
  readonly isThere: () => boolean;
  readonly resolve: (screen: string) => void;
  readonly reject: (error: Error) => void;
}

/** Starts `hostside …` in a folder, on a terminal of its own. */
export function runInTerminal(
  { folder, env }: WorkFolder,
  args: readonly string[],
  { columns = 100, rows = 30, env: more = {}, program: other }: TerminalSetting = {},
): TerminalRun {
  const emulator = new headless.Terminal({ cols: columns, rows, scrollback: 2000, allowProposedApi: true });
  const child = spawn(other ?? process.execPath, other === undefined ? [program, ...args] : [...args], {
    name: "xterm-256color",
    cols: columns,
    rows,
    cwd: folder,
    env: { ...env, ...more },
  });
  const chunks: string[] = [];
  const waiters = new Set<Waiter>();
  const lines = (): readonly string[] => readLines(emulator);
  const screen = (): string => lines().join("\n");
  const failure = (why: string): Error => new Error(`${why}; the screen is\n${screen()}`);
  const look = (): void => {
    for (const waiter of waiters) if (waiter.isThere()) waiter.resolve(screen());
  };
  // What a program asks of its terminal, such as where the cursor is, is answered.
  emulator.onData((answer) => child.write(answer));
  child.onData((chunk) => {
    chunks.push(chunk);
    emulator.write(chunk, look);
  });

  let hasEnded = false;
  const exit = new Promise<number>((resolve) => {
    child.onExit(({ exitCode, signal = 0 }) => {
      emulator.write("", () => {
        hasEnded = true;
        look();
        for (const waiter of waiters) waiter.reject(failure(`it ended with code ${exitCode} before that`));
        resolve(signal === 0 ? exitCode : 128 + signal);
      });
    });
  });

  return {
    lines,
    screen,
    raw: () => chunks.join(""),
    waitForScreen(wanted, timeoutMs = 10_000) {
      const isThere = (): boolean => matches(screen(), wanted);
      if (isThere()) return Promise.resolve(screen());
      if (hasEnded) return Promise.reject(failure(`it ended without ${String(wanted)}`));
      return new Promise<string>((resolve, reject) => {
        const late = setTimeout(() => waiter.reject(failure(`${String(wanted)} did not come`)), timeoutMs);
        const end = (): void => {
          clearTimeout(late);
          waiters.delete(waiter);
        };
        const waiter: Waiter = {
          isThere,
          resolve: (found) => {
            end();
            resolve(found);
          },
          reject: (error) => {
            end();
            reject(error);
          },
        };
        waiters.add(waiter);
      });
    },
    type: (text) => child.write(text),
    press: (...pressed) => {
      for (const key of pressed) child.write(keys[key]);
    },
    resize(newColumns, newRows) {
      emulator.resize(newColumns, newRows);
      child.resize(newColumns, newRows);
    },
    exit,
    async [Symbol.asyncDispose]() {
      if (!hasEnded) child.kill("SIGKILL");
      await exit;
      emulator.dispose();
    },
  };
}

function readLines({ buffer: { active } }: headless.Terminal): readonly string[] {
  const lines = Array.from(
    { length: active.length },
    (_, row) => active.getLine(row)?.translateToString(true).trimEnd() ?? "",
  );
  return lines.slice(0, lines.findLastIndex((line) => line !== "") + 1);
}

function matches(screen: string, wanted: string | RegExp | ((screen: string) => boolean)): boolean {
  if (typeof wanted === "string") return screen.includes(wanted);
  return wanted instanceof RegExp ? wanted.test(screen) : wanted(screen);
}
