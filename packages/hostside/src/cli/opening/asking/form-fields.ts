import { isJsonObject } from "@hostside/core/implement";
import type { JsonObject } from "@hostside/core";
import type { PromptChoice } from "./asker.ts";

/** A field of a form, as a server describes it. Its texts are the server's. */
export interface FormField {
  readonly name: string;
  readonly title: string;
  readonly description: string | undefined;
  readonly required: boolean;
  readonly kind: FieldKind;
  readonly initial: unknown;
}

/** What a field is answered with. */
export type FieldKind =
  | { readonly is: "text"; readonly least: number; readonly most: number; readonly format: string | undefined }
  | { readonly is: "number"; readonly whole: boolean; readonly least: number; readonly most: number }
  | { readonly is: "yes-no" }
  | { readonly is: "one" | "some"; readonly choices: readonly PromptChoice<string>[] };

// A form of more fields is not one that a person fills in at a terminal.
const mostFields = 50;

/** The fields of a form; `undefined` for what is none that can be asked line by line. */
export function readFormFields(requestedSchema: unknown): readonly FormField[] | undefined {
  const properties = isJsonObject(requestedSchema) ? requestedSchema["properties"] : undefined;
  if (!isJsonObject(requestedSchema) || !isJsonObject(properties)) return undefined;
  const { required } = requestedSchema;
  const fields = Object.entries(properties).map(([name, field]): FormField | undefined => {
    const kind = isJsonObject(field) ? kindOf(field) : undefined;
    if (!isJsonObject(field) || kind === undefined) return undefined;
    return {
      name,
      title: textOf(field["title"]) ?? name,
      description: textOf(field["description"]),
      required: Array.isArray(required) && required.includes(name),
      kind,
      initial: field["default"],
    };
  });
  const known = fields.filter((field) => field !== undefined);
  return known.length === fields.length && fields.length <= mostFields ? known : undefined;
}

function kindOf(field: JsonObject): FieldKind | undefined {
  const choices = choicesOf(field);
  if (choices !== undefined) return choices.length === 0 ? undefined : { is: "one", choices };
  const { type, items } = field;
  if (type === "array") {
    const some = isJsonObject(items) ? choicesOf(items) : undefined;
    return some === undefined || some.length === 0 ? undefined : { is: "some", choices: some };
  }
  if (type === "boolean") return { is: "yes-no" };
  if (type === "string") {
    const { minLength, maxLength, format } = field;
    return { is: "text", least: numberOf(minLength, 0), most: numberOf(maxLength, Infinity), format: textOf(format) };
  }
  if (type !== "number" && type !== "integer") return undefined;
  const { minimum, maximum } = field;
  return {
    is: "number",
    whole: type === "integer",
    least: numberOf(minimum, -Infinity),
    most: numberOf(maximum, Infinity),
  };
}

// `enum` with the `enumNames` of older servers, and `oneOf` or `anyOf` of constants with titles.
function choicesOf(field: JsonObject): readonly PromptChoice<string>[] | undefined {
  const { enum: values, enumNames: names } = field;
  if (Array.isArray(values)) {
    return values.flatMap((value, index) => {
      const name: unknown = Array.isArray(names) ? names[index] : undefined;
      return typeof value === "string" ? { value, label: textOf(name) ?? value } : [];
    });
  }
  const titled = field["oneOf"] ?? field["anyOf"];
  if (!Array.isArray(titled)) return undefined;
  return titled.flatMap((one) => {
    const value = isJsonObject(one) ? one["const"] : undefined;
    return isJsonObject(one) && typeof value === "string" ? { value, label: textOf(one["title"]) ?? value } : [];
  });
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function numberOf(value: unknown, otherwise: number): number {
  return typeof value === "number" ? value : otherwise;
}
