import { createInterface } from "node:readline/promises";
import type { Terminal } from "../terminal.ts";

/** How lines are read. */
export interface LineReading {
  readonly prompt: string;
  /** What Tab completes, and how much of the line it stands for. */
  readonly complete: (line: string) => [words: string[], typed: string];
}

/**
 * Lines that a person types, one after the other. Nobody listens on stdin in between, so that a
 * command can ask there.
 */
export interface TerminalLineReader {
  /** The next line; `undefined` at the end of input. Ctrl-C clears the line. */
  next(): Promise<string | undefined>;
  /** Writes a text to stderr above the line that is being typed. */
  note(text: string): void;
}

const mostRemembered = 1000;

/** Reads lines at a terminal, with history and completion. Ends with the terminal's signal. */
export function readLines(
  { stdin, stderr, err, signal }: Terminal,
  { prompt, complete }: LineReading,
): TerminalLineReader {
  const pasted: string[] = [];
  let begun = "";
  let history: string[] = [];
  let show: ((text: string) => void) | undefined;

  const ask = async (): Promise<string | undefined> => {
    const reader = createInterface({
      input: stdin,
      output: stderr,
      terminal: true,
      prompt,
      history,
      historySize: mostRemembered,
      removeHistoryDuplicates: true,
      completer: complete,
    });
    let resolve: (line: string | undefined) => void = () => undefined;
    const promise = new Promise<string | undefined>((settle) => (resolve = settle));
    let isCleared = false;
    const end = (): void => resolve(undefined);
    reader.on("history", (lines) => (history = lines));
    reader.on("line", (line) => {
      // Of a text that was pasted all lines come at once.
      pasted.push(line);
      resolve("");
    });
    reader.on("SIGINT", () => {
      err("^C\n");
      isCleared = true;
      pasted.push("");
      resolve("");
    });
    reader.on("close", end);
    signal.addEventListener("abort", end);
    show = (text) => {
      stderr.write("\r\u001B[K");
      err(text);
      reader.prompt(true);
    };
    reader.prompt();
    reader.write(begun);
    try {
      return await promise;
    } finally {
      show = undefined;
      begun = isCleared ? "" : reader.line;
      signal.removeEventListener("abort", end);
      reader.close();
    }
  };
  return {
    async next() {
      if (pasted.length === 0 && (await ask()) === undefined) return undefined;
      return pasted.shift();
    },
    note: (text) => (show ?? err)(text),
  };
}
