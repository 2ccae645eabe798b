import type { JsonObject, JsonValue } from "@hostside/core";
import { coerceText } from "../../values/coerce-text.ts";
import { alternativesOf, memberOf } from "../../values/parameters.ts";
import type { PromptChoice, Questions } from "../../questions.ts";

/** A value to ask a person for. */
export interface ValueQuestion {
  readonly message: string;
  readonly schema: JsonObject;
  readonly isRequired: boolean;
}

/** The answer of a person who leaves a value open. */
export const leftOpen: unique symbol = Symbol("left open");

/** Asks for a value of a schema. Resolves to `undefined` when the person cancels. */
export async function askValue(
  question: ValueQuestion,
  ask: Questions,
): Promise<JsonValue | typeof leftOpen | undefined> {
  const { message, schema, isRequired } = question;
  const initial = memberOf(schema, "default");
  const alternatives = alternativesOf(schema);
  const choices = choicesOf(schema);
  if (choices.length > 0) {
    const open = isRequired ? [] : [{ value: "", label: "(leave it open)", choice: null }];
    const chosen = await ask.choose(message, [...choices, ...open], keyOf(initial));
    if (chosen === "" && !isRequired) return leftOpen;
    return choices.find(({ value }) => value === chosen)?.choice;
  }
  const [first] = alternatives;
  if (alternatives.length === 1 && first?.kind === "boolean") return ask.confirm(message, initial === true);
  const entries = first?.kind === "array" ? choicesOf(first.schema["items"]) : [];
  if (entries.length > 0) {
    const given = Array.isArray(initial) ? initial.flatMap((one) => keyOf(one) ?? []) : [];
    const some = await ask.chooseSome(message, entries, given);
    if (some?.length === 0 && !isRequired) return leftOpen;
    return some && entries.flatMap(({ value, choice }) => (some.includes(value) ? [choice] : []));
  }
  const check = (text: string): string | undefined => {
    if (text === "") return isRequired ? "This is needed." : undefined;
    const coerced = coerceText(text, schema);
    return coerced.kind === "value" ? undefined : `It ${coerced.problem}.`;
  };
  const answer = await ask.text(message, { initial: keyOf(initial), check });
  if (answer === undefined || answer === "") return answer === "" && !isRequired ? leftOpen : undefined;
  const coerced = coerceText(answer, schema);
  return coerced.kind === "value" ? coerced.value : undefined;
}

/** Tells if a person can be asked for a value in one line or by a choice. */
export function canAskFor(schema: unknown): boolean {
  const alternatives = alternativesOf(schema);
  return (
    alternatives.length > 0 &&
    alternatives.every(({ kind, schema: one }) =>
      kind === "array" ? choicesOf(one["items"]).length > 0 : kind !== "object",
    )
  );
}

interface Choice extends PromptChoice<string> {
  readonly choice: JsonValue;
}

/** The values that a schema allows, where it allows no others. */
function choicesOf(schema: unknown): readonly Choice[] {
  const alternatives = alternativesOf(schema);
  if (!alternatives.every(({ kind }) => kind === "choice")) return [];
  return alternatives.flatMap(({ choices, schema: own }) => {
    // `enumNames` of older servers, and a title beside a constant.
    const names = memberOf(own, "enumNames");
    const title = own["title"] === memberOf(schema, "title") ? undefined : own["title"];
    return choices.map((choice, at) => {
      const value = keyOf(choice) ?? JSON.stringify(choice);
      const name: unknown = Array.isArray(names) ? names[at] : title;
      return { value, label: typeof name === "string" ? name : value, choice };
    });
  });
}

function keyOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" ? String(value) : undefined;
}
