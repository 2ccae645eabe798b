import type { JsonObject, ToolDefinition } from "@hostside/core";

const known = new WeakMap<ToolDefinition, JsonObject>();

/**
 * A definition as `tools/list` has it: what its server lists, whole, with members that nobody here
 * knows; under the name, and with the words, that the host gives it. Left out is what a server says
 * of tasks: those of this gateway are its own.
 */
export function toWireTool(definition: ToolDefinition): JsonObject {
  let tool = known.get(definition);
  if (tool === undefined) known.set(definition, (tool = describe(definition)));
  return tool;
}

/** The same for a client of 2025-11-25, for which the gateway makes a task of any call. */
export function toTaskTool(tool: JsonObject): JsonObject {
  let withTasks = knownWithTasks.get(tool);
  if (withTasks === undefined) {
    withTasks = { ...tool, execution: { taskSupport: "optional" } };
    knownWithTasks.set(tool, withTasks);
  }
  return withTasks;
}

const knownWithTasks = new WeakMap<JsonObject, JsonObject>();

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
