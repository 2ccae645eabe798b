import { inspect } from "node:util";
import { vi } from "vitest";

/** Every text that somebody might log of a value: of an error, of its causes, of data. */
export function textsOf(value: unknown): string[] {
  const texts = [
    String(value),
    JSON.stringify(value) ?? "",
    inspect(value, { depth: 12, showHidden: true }),
    inspect(value, { depth: 12, customInspect: false }),
  ];
  if (!(value instanceof Error)) return texts;
  return [...texts, value.message, value.stack ?? "", ...(value.cause === undefined ? [] : textsOf(value.cause))];
}

/** What is printed from now on, and kept from the terminal. */
export function listenToConsole(): { readonly printed: readonly string[]; stop(): void } {
  const printed: string[] = [];
  const keep = (...args: unknown[]): void => void printed.push(...args.flatMap((argument) => textsOf(argument)));
  const methods = ["debug", "error", "info", "log", "trace", "warn"] as const;
  const spies = methods.map((method) => vi.spyOn(console, method).mockImplementation(keep));
  return { printed, stop: () => spies.forEach((spy) => spy.mockRestore()) };
}

/** Which of the secrets stand in one of the texts, as they are or encoded for a URL. */
export function leaksIn(texts: readonly string[], secrets: readonly string[]): string[] {
  return secrets.flatMap((secret) =>
    [secret, encodeURIComponent(secret)].flatMap((spelled) => {
      const text = texts.find((candidate) => candidate.includes(spelled));
      return text === undefined ? [] : [`${spelled} in ${text.slice(0, 2000)}`];
    }),
  );
}
