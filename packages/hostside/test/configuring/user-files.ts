import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { FakeTerminal } from "../fake-terminal.ts";

/**
 * Writes a file below the home of a terminal, and returns its path. What is no text becomes JSON.
 */
export function homeFile({ home }: FakeTerminal, path: string, content: unknown): string {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content, undefined, 2));
  return file;
}

/** Where a terminal's user has their own `hostside.json`. */
export function ownFile({ home }: FakeTerminal): string {
  return join(home, ".config", "hostside", "hostside.json");
}

/** What stands in it. */
export function readOwn(terminal: FakeTerminal): unknown {
  return JSON.parse(readFileSync(ownFile(terminal), "utf8"));
}

/** A configuration of servers that are programs, as most tools have it. */
export function mcpServers(commands: Readonly<Record<string, string>>): object {
  return { mcpServers: Object.fromEntries(Object.entries(commands).map(([name, command]) => [name, { command }])) };
}
