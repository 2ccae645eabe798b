import type { ConfigInput } from "@hostside/config";
import type { TerminalPrompter } from "./asker.ts";

/**
 * Asks for the inputs of a configuration (`${input:id}`), each once. Who cancels has given no
 * answer, and `onCancel` hears of it.
 */
export function askInput(
  asker: TerminalPrompter,
  onCancel: () => void,
): (input: ConfigInput) => Promise<string | undefined> {
  const answers = new Map<string, Promise<string | undefined>>();
  return (input) => {
    // Two files may have an input of one name each.
    const key = JSON.stringify(input);
    const answer = answers.get(key) ?? ask(input, asker, onCancel);
    answers.set(key, answer);
    return answer;
  };
}

async function ask(input: ConfigInput, asker: TerminalPrompter, onCancel: () => void): Promise<string | undefined> {
  const { id, type, description, default: initial, password, options } = input;
  // Which program it would have to run, only its editor knows.
  if (type === "command") return undefined;
  const message = description === undefined ? `Input ${id}` : `${description} (input ${id})`;
  return asker.alone(async (questions) => {
    const choices = (options ?? []).map((value) => ({ value, label: value }));
    const answer =
      type === "pickString" && choices.length > 0
        ? await questions.choose(message, choices, initial)
        : password === true
          ? await questions.secret(message)
          : await questions.text(message, { initial });
    if (answer === undefined) onCancel();
    // Then what the file says in place of an answer is taken, or it is a problem.
    return answer === "" ? undefined : answer;
  });
}
