import { isToolportError } from "@toolport/core";
import type { CommandContext } from "../command-context.ts";
import { UsageError } from "../usage-error.ts";

/** Says what went wrong: on stderr for people, and with `--json` as the one document on stdout. */
export function renderError(error: unknown, { terminal, options }: CommandContext): void {
  const message = error instanceof Error ? error.message : String(error);
  const hint = error instanceof UsageError ? error.hint : undefined;
  if (options.json === true) {
    const { code, kind } = isToolportError(error)
      ? error
      : error instanceof UsageError
        ? { code: "usage", kind: "contract" }
        : { code: "bug", kind: "system" };
    terminal.out(`${JSON.stringify({ error: { code, kind, message, ...(hint !== undefined && { hint }) } })}\n`);
    return;
  }
  terminal.err(`${terminal.paintErr("bad", "error:")} ${message}\n`);
  if (hint !== undefined) terminal.err(`${hint}\n`);
}
