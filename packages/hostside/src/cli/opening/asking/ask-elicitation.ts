import type { ElicitationRequest, ElicitationResult, JsonObject, JsonValue } from "@hostside/core";
import { isConfidentialUrl } from "@hostside/core/implement";
import type { TerminalPrompter, Questions } from "./asker.ts";
import { readFormFields, type FieldKind, type FormField } from "./form-fields.ts";

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
export function whatIsWrong(text: string, kind: FieldKind & { readonly is: "text" | "number" }): string | undefined {
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
