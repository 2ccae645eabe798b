import { isJsonObject, isConfidentialUrl } from "@hostside/core/implement";
import type { JsonObject, ElicitationRequest, ElicitationResult, JsonValue } from "@hostside/core";
import { readParameters, type Parameters } from "../../values/parameters.ts";
import { askValue, canAskFor, leftOpen } from "./ask-value.ts";
import type { TerminalPrompter, Questions } from "../../questions.ts";

// A form of more fields is not one that a person fills in at a terminal.
const mostFields = 50;

/** The fields of a form; `undefined` for a form that cannot be asked line by line. */
function readFormFields(schema: unknown): Parameters | undefined {
  if (!isJsonObject(schema) || !isJsonObject(schema["properties"])) return undefined;
  const parameters = readParameters(schema);
  const fields = [...parameters.byName.values()];
  return fields.length <= mostFields && fields.every((one) => canAskFor(one.schema)) ? parameters : undefined;
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
    { value: "accept", label: fields.byName.size === 0 ? "Yes" : "Answer", hint: "the server gets what you type" },
    { value: "decline", label: "Decline" },
  ] as const;
  const how = await questions.choose("Answer the server?", choices, "accept");
  if (how !== "accept") return { action: how ?? "cancel" };
  const answers: [string, JsonValue][] = [];
  for (const { name, schema, isRequired } of fields.byName.values()) {
    const title = textOf(schema["title"]) ?? name;
    const description = textOf(schema["description"]) ?? title;
    const named = description === title ? title : `${title}: ${description}`;
    const message = isRequired || schema["type"] === "boolean" ? named : `${named} (may be left open)`;
    const answer = await askValue({ message, schema, isRequired }, questions);
    if (answer === undefined) return { action: "cancel" };
    if (answer !== leftOpen) answers.push([name, answer]);
  }
  // Defines members, so that a field called "__proto__" is one like any other.
  const content: JsonObject = Object.fromEntries(answers);
  return { action: "accept", content };
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

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
