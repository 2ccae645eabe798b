import { redacted, type JsonObject, type ToolDefinition } from "@toolport/core";
import { isSecretName } from "@toolport/core/implement";
import { pathOf } from "../host/find-tool.ts";
import type { Host } from "../host/host.ts";
import { oneLine } from "../render/one-line.ts";
import { usageError } from "../usage-error.ts";

/**
 * Asks about a call in a host that was opened before it was known who calls: its own policy may ask about less. Throws a usage error where the call is not to be
 * made. Asks nothing where the policy will.
 */
export async function confirmInRepl(definition: ToolDefinition, args: JsonObject, host: Host): Promise<void> {
  const { effect = "external" } = definition;
  if (effect === "pure" || host.toolport.policy.requiresConfirmation(definition)) return;
  const shown = JSON.stringify(args, (name, value: unknown) => (isSecretName(name) ? redacted : value));
  const question = `Call ${oneLine(pathOf(definition), 200)} with ${oneLine(shown, 500)}? It may change things (effect: ${effect}).`;
  const answer = await host.asker?.alone((questions) => questions.confirm(question));
  if (answer !== true) throw usageError("the call was not approved; nothing was sent", "--yes approves it.");
}
