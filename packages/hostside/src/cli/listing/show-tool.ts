import { findServerAndTool } from "../opening/find-server-and-tool.ts";
import type { CommandWork } from "../command-context.ts";
import { exitCodes } from "../exit-codes.ts";
import { printJson, printLines } from "../render/print.ts";
import { renderTool } from "./render-tool.ts";
import { toolFactsOf } from "./tool-facts.ts";

/**
 * Shows one tool: its definition, and all that is known of it. Starts its server alone, where the
 * name says which that is.
 */
export const showTool: CommandWork<{ readonly tool: string }> = async ({ tool }, context) => {
  const { opened, definition } = await findServerAndTool(tool, context, {});
  await using _open = opened;
  const facts = toolFactsOf(definition, opened.host.policy);
  if (context.options.json === true) printJson(context.terminal, facts);
  else printLines(context.terminal, renderTool(facts, context.terminal));
  return exitCodes.pass;
};
