import type { CommandContext } from "../../command-context.ts";

/** Whether a person is there who can be asked. */
export function canAsk({ terminal }: Pick<CommandContext, "terminal">): boolean {
  const ci = terminal.env["CI"] ?? "";
  return terminal.canAsk && (ci === "" || ci === "false" || ci === "0");
}
