import type { ElicitationRequest, JsonObject } from "@hostside/core";
import {
  isJsonObject,
  listOf,
  objectOf,
  oneOf,
  readNumber,
  readText,
  readTexts,
  type Reader,
} from "@hostside/core/implement";

interface Field extends JsonObject {
  readonly title?: string;
  readonly description?: string;
}
interface Choice extends JsonObject {
  readonly const: string;
  readonly title: string;
}

const words = { title: readText, description: readText };
const readChoices = listOf(objectOf<Choice>({ const: readText, title: readText }, {}));
const texts = { enum: readTexts };
const count = { minItems: readNumber, maxItems: readNumber, default: readTexts };

// The kinds of fields of a form, what only some have first: of 2025-06-18, 2025-11-25 and later.
const kinds: readonly Reader[] = [
  fieldOf({ type: oneOf("string"), ...texts }, { enumNames: readTexts, default: readText }),
  fieldOf({ type: oneOf("string"), oneOf: readChoices }, { default: readText }),
  fieldOf({ type: oneOf("array"), items: fieldOf({ type: oneOf("string"), ...texts }, {}) }, count),
  fieldOf({ type: oneOf("array"), items: fieldOf({ anyOf: readChoices }, {}) }, count),
  fieldOf({ type: oneOf("boolean") }, { default: oneOf(true, false) }),
  fieldOf(
    { type: oneOf("string") },
    {
      minLength: readNumber,
      maxLength: readNumber,
      format: oneOf("email", "uri", "date", "date-time"),
      default: readText,
    },
  ),
  fieldOf({ type: oneOf("number", "integer") }, { minimum: readNumber, maximum: readNumber, default: readNumber }),
];

function fieldOf(mustHave: Readonly<Record<string, Reader>>, mayHave: Readonly<Record<string, Reader>>): Reader {
  return objectOf<Field>({ ...mustHave }, { ...words, ...mayHave });
}

function readForm(schema: unknown): JsonObject | undefined {
  if (!isJsonObject(schema)) return undefined;
  const { properties, required } = schema;
  const fields = Object.entries(isJsonObject(properties) ? properties : {}).map(([name, field]) => [
    name,
    kinds.map((read) => read(field)).find((read) => read !== undefined),
  ]);
  if (fields.some(([, field]) => field === undefined)) return undefined;
  const { required: _required, ...rest } = schema;
  const names = readTexts(required);
  return {
    ...rest,
    type: "object",
    properties: Object.fromEntries(fields) as JsonObject,
    ...(names !== undefined && { required: names as readonly string[] }),
  };
}

/**
 * The parameters of an `elicitation/create` as every client accepts them: without optional members
 * of a wrong type. `undefined` where a field of the form is none that a form may have, and where a
 * link is none.
 */
export function toWireQuestion({ mode, params }: Pick<ElicitationRequest, "mode" | "params">): JsonObject | undefined {
  const { mode: said, task: _task, requestedSchema, ...rest } = params;
  if (mode === "url") {
    const { url, elicitationId } = rest;
    const isLink = typeof url === "string" && URL.canParse(url) && typeof elicitationId === "string";
    return isLink ? { mode, ...rest } : undefined;
  }
  const form = readForm(requestedSchema);
  return form && { ...(said === mode && { mode }), ...rest, requestedSchema: form };
}
