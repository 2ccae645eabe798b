import type { ToolDefinition } from "@hostside/core";
import { expectThat, type Stage } from "./demo-step.ts";

/**
 * Lists the groups: one per server that is connected, and one for the resources of all. A model can
 * be offered this directory instead of every schema.
 */
export async function showGroups({ host, printer, servers }: Stage): Promise<void> {
  const groups = host.toolbox.groups();
  for (const group of groups) {
    printer.row([group.id, `${group.members.length} tools`, group.title], [20, 8]);
  }
  expectThat(groups.length === servers.ids.length, `expected ${servers.ids.length} groups, got ${groups.length}`);
}

/** Shows a few definitions in the form in which most model APIs take functions. */
export async function showDefinitions({ host, printer }: Stage): Promise<void> {
  const definitions = host.tools();
  const legal = definitions.every(({ name }) => /^[a-z][a-z0-9_-]{0,63}$/.test(name));
  for (const definition of pickFew(definitions)) printer.line(JSON.stringify(toFunction(definition)));
  expectThat(definitions.length > 0, "there are no definitions");
  expectThat(legal, "a name is not legal for every model API");
  expectThat(new Set(definitions.map(({ name }) => name)).size === definitions.length, "two tools share a name");
}

function pickFew(definitions: readonly ToolDefinition[]): readonly ToolDefinition[] {
  const step = Math.ceil(definitions.length / 3);
  return definitions.filter((_, index) => index % step === 0);
}

function toFunction({ name, description, inputSchema }: ToolDefinition): object {
  return { type: "function", name, description, parameters: inputSchema };
}
