import { type ElicitationRequest, type JsonValue } from "@toolport/core";
import { isJsonObject } from "@toolport/core/implement";
import type { Policy } from "@toolport/policy";
import type { ToolportOptions } from "../toolport-options.ts";

/** Questions of servers with secrets masked in their texts, as in results. An address that a user is to open stays as it is: by anything else it would lead nowhere. */
export function redactQuestions(
  onElicit: ToolportOptions["onElicit"],
  { redactText }: Pick<Policy, "redactText">,
): ToolportOptions["onElicit"] {
  if (onElicit === undefined) return undefined;
  return (request, ...rest) => {
    const { context, message, params, mode } = request;
    const redact = (text: string): string => redactText(text, context);
    const own = mode === "url" ? { ...params, message: redact(message) } : mapTexts(params, redact);
    return onElicit({ ...request, message: redact(message), params: own as ElicitationRequest["params"] }, ...rest);
  };
}

/** Names of members stay: a form is filled in by them. */
function mapTexts(value: JsonValue, change: (text: string) => string): JsonValue {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((member: JsonValue) => mapTexts(member, change));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, mapTexts(member as JsonValue, change)]),
  );
}
