import { isJsonObject, isConfidentialUrl } from "@hostside/core/implement";
import type { JsonObject, ElicitationRequest, ElicitationResult, JsonValue } from "@hostside/core";
import type { PromptChoice, TerminalPrompter, Questions } from "../../questions.ts";

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
function readFormFields(requestedSchema: unknown): readonly FormField[] | undefined {
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
  const fields = readFormFields(params["requestedSchema"]);
  if (fields === undefined) {
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
    if (answer !== leftOpen) answers.push([field.name, answer]);
  }
  // Defines members, so that a field called "__proto__" is one like any other.
  const content: JsonObject = Object.fromEntries(answers);
  return { action: "accept", content };
}

const leftOpen: unique symbol = Symbol("left open");

async function askField(field: FormField, questions: Questions): Promise<JsonValue | typeof leftOpen | undefined> {
  const { title, description, required, kind, initial } = field;
  const named = description === undefined || description === title ? title : `${title}: ${description}`;
  const message = required ? named : `${named} (may be left open)`;
  switch (kind.is) {
    case "yes-no":
      return questions.confirm(named, initial === true);
    case "some": {
      const given = Array.isArray(initial) ? initial.filter((value) => typeof value === "string") : [];
      const some = await questions.chooseSome(message, kind.choices, given);
      if (some === undefined) return undefined;
      return some.length === 0 && !required ? leftOpen : [...some];
    }
    case "one": {
      const open = { value: "", label: "(leave it open)" };
      const choices = required ? kind.choices : [...kind.choices, open];
      const answer = await questions.choose(message, choices, typeof initial === "string" ? initial : undefined);
      return answer === "" && !required ? leftOpen : answer;
    }
    case "text":
    case "number": {
      const check = (text: string): string | undefined =>
        text === "" && !required ? undefined : whatIsWrong(text, kind);
      const given = typeof initial === "string" || typeof initial === "number" ? String(initial) : undefined;
      const answer = await questions.text(message, { initial: given, check });
      if (answer === undefined) return undefined;
      if (answer === "" && !required) return leftOpen;
      return kind.is === "number" ? Number(answer) : answer;
    }
  }
}

/** What a person typed wrong; `undefined`: nothing. The server checks formats itself. */
function whatIsWrong(text: string, kind: FieldKind & { readonly is: "text" | "number" }): string | undefined {
  const { least, most } = kind;
  if (kind.is === "number") {
    const number = Number(text);
    if (text.trim() === "" || !Number.isFinite(number)) return "This must be a number.";
    if (kind.whole && !Number.isInteger(number)) return "This must be a whole number.";
    if (number < least) return `This must be ${least} or more.`;
    return number > most ? `This must be ${most} or less.` : undefined;
  }
  const { length } = Array.from(text);
  if (length < Math.max(least, 1)) return least > 1 ? `This must have ${least} characters or more.` : "This is needed.";
  return length > most ? `This must have ${most} characters or less.` : undefined;
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
