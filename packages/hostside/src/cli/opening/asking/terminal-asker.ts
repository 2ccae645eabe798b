import { cleanText, truncateText } from "@hostside/core";
import { escapeUnseen, untilAborted } from "@hostside/core/implement";
import { terminalLine } from "../../render/render-text.ts";
import type { PromptChoice, Questions, TerminalPrompter } from "../../questions.ts";
import type { Terminal } from "../../terminal.ts";

/** Tells if there is a person to ask. */
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
