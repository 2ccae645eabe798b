import { cleanText, truncateText } from "@hostside/core";
import { escapeUnseen, untilAborted } from "@hostside/core/implement";
import { terminalLine } from "../../render/render-text.ts";
import type { Terminal } from "../../terminal.ts";

/** One of several answers. */
export interface PromptChoice<Value extends string> {
  readonly value: Value;
  readonly label: string;
  readonly hint?: string | undefined;
}

/** What is asked of a line of text. */
export interface TextQuestion {
  /** What stands there already. */
  readonly initial?: string | undefined;
  /** What is wrong with an answer; `undefined`: nothing. It is asked for again then. */
  readonly check?: ((text: string) => string | undefined) | undefined;
}

/**
 * Questions to a person at a terminal. Each resolves to `undefined` when the person, or the end of
 * the questions' signal, cancels it.
 */
export interface Questions {
  /** Shows lines that belong to the next question. */
  show(lines: readonly string[]): void;
  /** `initial`: the answer of who presses Enter at once. */
  choose<Value extends string>(
    message: string,
    choices: readonly PromptChoice<Value>[],
    initial?: Value,
  ): Promise<Value | undefined>;
  /** `initial`: what is chosen already. */
  chooseSome<Value extends string>(
    message: string,
    choices: readonly PromptChoice<Value>[],
    initial?: readonly string[],
  ): Promise<readonly Value[] | undefined>;
  confirm(message: string, initial?: boolean): Promise<boolean | undefined>;
  text(message: string, question?: TextQuestion): Promise<string | undefined>;
  /** What is typed is not shown. */
  secret(message: string): Promise<string | undefined>;
}

/** Asks the person at a terminal. */
export interface TerminalPrompter {
  /**
   * Asks questions that belong together, while nobody else asks: they wait for their turn.
   * Everything that is shown is cleaned of escape sequences and bounded here. Rejects with the
   * signal's reason if it aborts before the first question, and otherwise settles as `work` does.
   */
  alone<Answer>(work: (questions: Questions) => Promise<Answer>, signal?: AbortSignal): Promise<Answer>;
  /**
   * Whether somebody is asked just now; a line that is written meanwhile tears the question apart.
   */
  readonly isAsking: boolean;
}

/** Whether a person is there who can be asked. */
export function canAsk({ terminal }: { readonly terminal: Pick<Terminal, "env" | "canAsk"> }): boolean {
  const ci = terminal.env["CI"] ?? "";
  return terminal.canAsk && (ci === "" || ci === "false" || ci === "0");
}

// What a person decides about is shown whole, as far as a person reads.
const longestLine = 12_000;
const longestMessage = 2000;
const longestLabel = 200;

/** Asks at this terminal, on its stderr. */
export function terminalAsker(terminal: Terminal): TerminalPrompter {
  let turn: Promise<unknown> = Promise.resolve();
  let asking = 0;
  return {
    get isAsking() {
      return asking > 0;
    },
    async alone(work, signal = terminal.signal) {
      const either = AbortSignal.any([terminal.signal, signal]);
      const before = turn;
      const mine = (async () => {
        await untilAborted(before, either);
        asking += 1;
        try {
          return await work(await questionsAt(terminal, either));
        } finally {
          asking -= 1;
        }
      })();
      turn = Promise.allSettled([before, mine]);
      return mine;
    },
  };
}

async function questionsAt(terminal: Terminal, signal: AbortSignal): Promise<Questions> {
  // Loaded when somebody is asked: most commands ask nobody.
  const clack = await import("@clack/prompts");
  const common = { input: terminal.stdin, output: terminal.stderr, signal };
  return {
    show(lines) {
      for (const line of lines) terminal.err(`${lineAsIndented(line)}\n`);
    },
    async choose(message, choices, initial) {
      const initialValue = initial === undefined ? {} : { initialValue: initial };
      const options = choices.map(toOption);
      const answer = await clack.select<string>({ ...common, ...initialValue, message: clean(message), options });
      return choices.find(({ value }) => value === answer)?.value;
    },
    async chooseSome(message, choices, initial = []) {
      const options = choices.map(toOption);
      const initialValues = choices.map(({ value }) => value).filter((value) => initial.includes(value));
      const chosen = { message: clean(message), options, initialValues, required: false };
      const answer = await clack.multiselect<string>({ ...common, ...chosen });
      if (!Array.isArray(answer)) return undefined;
      return choices.filter(({ value }) => answer.includes(value)).map(({ value }) => value);
    },
    async confirm(message, initial = false) {
      const answer = await clack.confirm({ ...common, message: clean(message), initialValue: initial });
      return typeof answer === "symbol" ? undefined : answer;
    },
    async text(message, { initial, check } = {}) {
      const initialValue = initial === undefined ? {} : { initialValue: cleanText(initial, longestMessage) };
      const validate = (text: string | undefined): string | undefined => check?.(text ?? "");
      // Of an empty line it makes `undefined`.
      const answer = await clack.text({ ...common, ...initialValue, message: clean(message), validate });
      return typeof answer === "symbol" ? undefined : (answer ?? "");
    },
    async secret(message) {
      const answer = await clack.password({ ...common, message: clean(message) });
      return typeof answer === "symbol" ? undefined : (answer ?? "");
    },
  };
}

function toOption({ value, label, hint }: PromptChoice<string>): { value: string; label: string; hint?: string } {
  const shown = { value, label: terminalLine(label, longestLabel) };
  return hint === undefined ? shown : { ...shown, hint: terminalLine(hint, longestLabel) };
}

function clean(message: string): string {
  return cleanText(message, longestMessage);
}

// What describes a question stands in columns and is indented, so that a line keeps its blanks but
// those beside a line feed. Nothing is dropped, so that what is shown is what is decided about.
function lineAsIndented(line: string): string {
  const shown = escapeUnseen(line.replaceAll(/\s*\n\s*/g, " ").replaceAll("\t", " "));
  const hidden = shown.length - longestLine;
  return hidden > 0 ? `${truncateText(shown, longestLine)} ${hidden} characters more are NOT shown` : shown;
}
