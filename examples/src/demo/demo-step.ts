import type { Host, ToolOutcome } from "hostside";
import type { DemoServers } from "./demo-servers.ts";
import type { Printer } from "./printer.ts";

/**
 * What steps of the demo work with. A step prints what it does, and throws when the result is not
 * the right one.
 */
export interface Stage {
  readonly host: Host;
  readonly servers: DemoServers;
  readonly printer: Printer;
}

/** Throws an error with this message unless the condition holds. */
export function expectThat(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(message);
}

/**
 * The local name of a server's tool, looked up as any host would: by where the definition comes
 * from.
 */
export function localNameOf(host: Host, serverId: string, toolName: string): string {
  const found = host.tools().find(({ origin }) => origin?.serverId === serverId && origin.toolName === toolName);
  expectThat(found !== undefined, `${serverId} has no tool ${toolName}`);
  return found.name;
}

/** The first text of an outcome, on one line. */
export function textOf(outcome: ToolOutcome): string {
  const block = outcome.content.find(({ type }) => type === "text");
  return block?.type === "text" ? block.text.replaceAll(/\s+/g, " ").trim() : JSON.stringify(outcome.content);
}
