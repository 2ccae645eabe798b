import type { McpProvider } from "@hostside/provider";
import { inspect } from "node:util";
import { vi } from "vitest";

/**
 * Everything that a provider shows of itself and its servers, but for what the servers have on
 * offer.
 */
export interface TextCollector extends Disposable {
  add(...values: readonly unknown[]): void;
  /** All of it, in every way in which it may get into a log. */
  texts(): string;
}

/** Listens to a provider, and to the console and the output of this process. */
export function collectTexts(provider: McpProvider): TextCollector {
  const values: unknown[] = [];
  const add = (...more: readonly unknown[]): void => void values.push(...more);
  const printing = (["debug", "error", "info", "log", "warn"] as const).map((method) =>
    vi.spyOn(console, method).mockImplementation(add),
  );
  const writing = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, "write").mockImplementation((chunk) => {
      add(String(chunk));
      return true;
    }),
  );
  provider.onDiagnostic(add);
  provider.onServerLog(add);
  provider.onStatusChanged(add);
  return {
    add,
    texts() {
      add(provider.statuses(), provider.groups());
      return Array.from(new Set(values.flatMap(viewsOf))).join("\n");
    },
    [Symbol.dispose]() {
      for (const spy of [...printing, ...writing]) spy.mockRestore();
    },
  };
}

function viewsOf(value: unknown): readonly string[] {
  const everything = { depth: 20, showHidden: true, maxStringLength: Infinity, maxArrayLength: Infinity };
  const own = value instanceof Error ? [value.message, String(value.stack), String(value)] : [];
  return [
    ...own,
    JSON.stringify(value) ?? "",
    inspect(value, everything),
    inspect(value, { ...everything, customInspect: false }),
  ];
}
