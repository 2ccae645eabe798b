import type { Diagnostic, JsonObject, ProtocolEra, Resource, ToolAnnotations, ToolDefinition } from "@hostside/core";
import { isJsonObject, objectOf, oneOf, readIcons, readText } from "@hostside/core/implement";
import { toWireInputSchema, toWireOutputSchema } from "./wire-schema.ts";

type WireTools = WeakMap<ToolDefinition, { readonly tool: JsonObject | undefined }>;

const known: Readonly<Record<ProtocolEra, WireTools>> = { legacy: new WeakMap(), modern: new WeakMap() };

/**
 * A definition as `tools/list` has it: what its server lists, with members that nobody here knows,
 * under the name, and with the words, that the host gives it. Members about tasks are left out,
 * because the gateway has no tasks. Parts that no client would accept are corrected or left out.
 * Returns `undefined` where that is impossible, because clients refuse a list as a whole.
 */
export function toWireTool(
  definition: ToolDefinition,
  era: ProtocolEra,
  onDiagnostic: (diagnostic: Diagnostic) => void,
): JsonObject | undefined {
  let made = known[era].get(definition);
  if (made === undefined) known[era].set(definition, (made = { tool: describe(definition, era, onDiagnostic) }));
  return made.tool;
}

interface WireTool extends JsonObject {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly annotations?: ToolAnnotations & JsonObject;
  readonly icons?: Resource["icons"];
  readonly _meta?: JsonObject;
}

const isFlag = oneOf(true, false);

const readTool = objectOf<WireTool>(
  { name: readText },
  {
    title: readText,
    description: readText,
    annotations: objectOf<ToolAnnotations>(
      {},
      {
        title: readText,
        readOnlyHint: isFlag,
        destructiveHint: isFlag,
        idempotentHint: isFlag,
        openWorldHint: isFlag,
      },
    ),
    icons: readIcons,
    _meta: (value) => (isJsonObject(value) ? value : undefined),
  },
);

function describe(
  definition: ToolDefinition,
  era: ProtocolEra,
  onDiagnostic: (diagnostic: Diagnostic) => void,
): JsonObject | undefined {
  const { name, title, description, inputSchema, outputSchema, annotations, entry, origin } = definition;
  const { execution: _execution, outputSchema: _output, ...rest } = entry ?? {};
  const report = (what: string): void => {
    const { serverId = "", toolName = name } = origin ?? {};
    onDiagnostic({ kind: "protocol-anomaly", serverId, toolName, message: `${what} of ${JSON.stringify(name)}` });
  };
  try {
    const output = outputSchema && toWireOutputSchema(outputSchema, era);
    const tool = readTool({
      ...rest,
      name,
      ...(title !== undefined && { title }),
      description,
      inputSchema: toWireInputSchema(inputSchema),
      ...(output !== undefined && { outputSchema: output }),
      ...(annotations !== undefined && rest["annotations"] === undefined && { annotations: { ...annotations } }),
    });
    if (!isJsonObject(tool)) throw new TypeError("it has no name");
    // What came off a wire can be written again.
    if (entry === undefined) JSON.stringify(tool);
    if (outputSchema !== undefined && output === undefined) {
      report("clients could not use the output schema, which is left out,");
    }
    return tool;
  } catch (error) {
    const why = error instanceof Error ? error.message : "it cannot be written";
    report(`no client is shown, because it cannot be sent (${why}), the tool`);
    return undefined;
  }
}
