import type { ElicitationRequest, ElicitationResult, JsonValue } from "@hostside/core";
import { isConfidentialUrl, isJsonObject } from "@hostside/core/implement";
import type { PromptChoice, Questions, TerminalPrompter } from "../../questions.ts";
import { coerceText } from "../../values/coerce-text.ts";
import { alternativesOf, memberOf, readParameters, type Parameter } from "../../values/parameters.ts";

// A form of more fields is not one that a person fills in at a terminal.
const mostFields = 50;

/** Opens a page for the user, if that can be done here. */
export type OpenPage = (url: URL, serverId: string, signal: AbortSignal) => Promise<void>;

/** Asks what a server asks during a call. `openPage` is absent where no page can be seen. */
export function askElicitation(
  asker: TerminalPrompter,
  openPage: OpenPage | undefined,
): (request: ElicitationRequest, signal: AbortSignal) => Promise<ElicitationResult> {
  return (request, signal) =>
    asker.alone((questions) => {
      questions.show(["", `Server ${request.serverId} asks: ${request.message}`]);
      return request.mode === "url"
        ? askToVisit(request, questions, (url) => openPage?.(url, request.serverId, signal))
        : askForm(request, questions);
    }, signal);
}

async function askForm({ params }: ElicitationRequest, questions: Questions): Promise<ElicitationResult> {
  const { requestedSchema } = params;
  const fields = [...readParameters(isJsonObject(requestedSchema) ? requestedSchema : {}).byName.values()];
  if (fields.length > mostFields) {
    questions.show(["  It wants a form that cannot be shown here; it was declined."]);
    return { action: "decline" };
  }
  const choices = [
    { value: "accept", label: fields.length === 0 ? "Yes" : "Answer", hint: "the server gets what you type" },
    { value: "decline", label: "Decline" },
  ] as const;
  const how = await questions.choose("Answer the server?", choices, "accept");
  if (how !== "accept") return { action: how ?? "cancel" };
  const answers: [string, JsonValue][] = [];
  for (const field of fields) {
    const answer = await askField(field, questions);
    if (answer === undefined) return { action: "cancel" };
    answers.push(...answer.map((value): [string, JsonValue] => [field.name, value]));
  }
  // Defines members, so that a field called "__proto__" is one like any other.
  return { action: "accept", content: Object.fromEntries(answers) };
}

/**
 * Asks for the value of a field. Resolves to an empty list for a field that is left open, and to
 * `undefined` when the person cancels.
 */
async function askField(
  { name, schema, isRequired }: Parameter,
  ask: Questions,
): Promise<readonly JsonValue[] | undefined> {
  const { title, description, default: initial } = schema;
  const texts = [typeof title === "string" ? title : name, description].filter((text) => typeof text === "string");
  const named = Array.from(new Set(texts)).join(": ");
  const message = isRequired || schema["type"] === "boolean" ? named : `${named} (may be left open)`;
  const [first, ...others] = alternativesOf(schema);
  const choices = choicesOf(schema);
  if (choices.length > 0) {
    const open = isRequired ? [] : [{ value: "", label: "(leave it open)" }];
    const chosen = await ask.choose(message, [...choices, ...open], keyOf(initial));
    if (chosen === "" && !isRequired) return [];
    const found = choices.find(({ value }) => value === chosen);
    return found && [found.choice];
  }
  if (first?.kind === "boolean" && others.length === 0) {
    const isSure = await ask.confirm(message, initial === true);
    return isSure === undefined ? undefined : [isSure];
  }
  const entries = first?.kind === "array" ? choicesOf(first.schema["items"]) : [];
  if (entries.length > 0) {
    const given = Array.isArray(initial) ? initial.flatMap((one) => keyOf(one) ?? []) : [];
    const some = await ask.chooseSome(message, entries, given);
    if (some?.length === 0 && !isRequired) return [];
    return some && [entries.flatMap(({ value, choice }) => (some.includes(value) ? [choice] : []))];
  }
  const check = (text: string): string | undefined => {
    if (text === "") return isRequired ? "This is needed." : undefined;
    const coerced = coerceText(text, schema);
    return coerced.kind === "value" ? undefined : `It ${coerced.problem}.`;
  };
  const answer = await ask.text(message, { initial: keyOf(initial), check });
  if (answer === undefined || answer === "") return answer === "" && !isRequired ? [] : undefined;
  const coerced = coerceText(answer, schema);
  return coerced.kind === "value" ? [coerced.value] : undefined;
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

async function askToVisit(
  { params }: ElicitationRequest,
  questions: Questions,
  open: (url: URL) => Promise<void> | undefined,
): Promise<ElicitationResult> {
  const text = typeof params["url"] === "string" ? params["url"] : "";
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !isConfidentialUrl(url)) {
    questions.show(["  It names a page that is neither https: nor on this machine; it was declined."]);
    return { action: "decline" };
  }
  // The host alone, because the rest can be made to look like another one.
  questions.show([`  Host: ${url.host}`, `  Page: ${url.href}`]);
  const choices = [
    { value: "open", label: "Open it", hint: `you trust ${url.host} with what you enter there` },
    { value: "decline", label: "Decline" },
  ] as const;
  const how = await questions.choose("Open this page in your browser?", choices, "decline");
  if (how !== "open") return { action: how ?? "cancel" };
  const opening = open(url);
  if (opening === undefined) questions.show(["Open it in a browser of yours."]);
  else await opening.catch(() => questions.show(["No browser could be opened here. Open it in a browser of yours."]));
  return { action: "accept" };
}
