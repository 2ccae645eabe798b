import type { JsonObject, ToolDefinition } from "@toolport/core";

const known = new WeakMap<ToolDefinition, JsonObject>();

/**
 * A definition as `tools/list` has it: what its server lists, whole, with members that nobody here knows; under the name, and with the words, that
 * the host gives it. Left out is what a server says of tasks, because this gateway has none: it waits for them.
 */
export function toWireTool(definition: ToolDefinition): JsonObject {
  let tool = known.get(definition);
  if (tool === undefined) known.set(definition, (tool = describe(definition)));
  return tool;
}

function describe(definition: ToolDefinition): JsonObject {
  const { name, title, description, inputSchema, outputSchema, annotations, entry } = definition;
  const { execution: _execution, ...rest } = entry ?? {};
  return {
    ...rest,
    name,
    ...(title !== undefined && { title }),
    description,
    inputSchema,
    ...(outputSchema !== undefined && { outputSchema }),
    ...(annotations !== undefined && rest["annotations"] === undefined && { annotations: { ...annotations } }),
  };
}
