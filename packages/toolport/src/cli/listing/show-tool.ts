import type { CommandWork } from "../command-context.ts";
import { exitCodes } from "../exit-codes.ts";
import { findTool, serverOf } from "../host/find-tool.ts";
import { openHost } from "../host/open-host.ts";
import { printJson, printLines } from "../render/print.ts";
import { renderTool } from "./render-tool.ts";
import { describeTool } from "./tool-facts.ts";

/** Shows one tool: its definition, and all that is known of it. Starts its server alone, where the name says which that is. */
export const showTool: CommandWork<{ readonly tool: string }> = async ({ tool }, context) => {
  await using host = await openHost(context, {
    only: (known) => {
      const serverId = serverOf(tool, known);
      return serverId === undefined ? undefined : [serverId];
    },
  });
  const definition = findTool(tool, host.toolport);
  const facts = describeTool(definition, host.toolport.policy);
  if (context.options.json === true) printJson(context.terminal, facts);
  else printLines(context.terminal, renderTool(facts, context.terminal));
  return exitCodes.pass;
};
