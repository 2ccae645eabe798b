import {
  assertKnownOptions,
  freezeData,
  isJsonObject,
  isPlainObject,
  kindOf,
  quoteText,
} from "@hostside/core/implement";
import type { JsonObject, HostsideError } from "@hostside/core";
import { malformedError, notOfferedError, type ResourceParts } from "./ask-server.ts";
import { longestUri } from "./check-uri.ts";
import type { ReadOptions } from "./server-lists.ts";
import { readFilledArguments, missingError, nameAll, refusal, type FilledArguments } from "./prompt.ts";

/**
 * What a value is looked for: a prompt by its name, or a template by its text; as it was listed, or
 * made by hand.
 */
export type CompletionTarget =
  | { readonly serverId: string; readonly name: string; readonly uriTemplate?: undefined }
  | { readonly serverId: string; readonly uriTemplate: string };

/** What was typed so far. */
export interface CompletionInput {
  /** The argument of the prompt, or the variable of the template. */
  readonly argument: string;
  /** May be empty. */
  readonly value: string;
  /** The other arguments, as far as they are known: servers go by them. */
  readonly given?: FilledArguments | undefined;
}

/** What a server proposes. */
export interface Completion {
  /** At most 100, each of at most 8,192 UTF-16 units: others are left out. Untrusted. */
  readonly values: readonly string[];
  /** How many there are in all, as the server says. */
  readonly total?: number;
  /** Whether there are more than these: because the server says so, or some were left out. */
  readonly hasMore: boolean;
}

const operation = "completion/complete";
// https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/completion
const mostValues = 100;
const inputFields = { argument: true, value: true, given: true } as const;

/**
 * Throws a `TypeError` for what is no target and no input, and `invalid_arguments` for values that
 * are no texts. The params of the request.
 */
export function readCompletion(target: CompletionTarget, input: CompletionInput): JsonObject {
  if (!isPlainObject(target)) throw new TypeError(`complete() needs a prompt or a template, not ${kindOf(target)}`);
  assertKnownOptions("complete()", input, inputFields);
  const { argument, value, given } = input;
  for (const [place, text] of Object.entries({ argument, value })) {
    if (typeof text !== "string") throw new TypeError(`complete(): ${place} must be a text, not ${kindOf(text)}`);
  }
  const { uriTemplate } = target;
  const named = uriTemplate ?? target.name;
  if (typeof named !== "string" || named === "") throw new TypeError("complete() needs a name or a uriTemplate");
  const owner = { serverId: target.serverId, what: "a completion" };
  return {
    ref: uriTemplate === undefined ? { type: "ref/prompt", name: named } : { type: "ref/resource", uri: named },
    argument: { name: argument, value },
    ...(given !== undefined && { context: { arguments: readFilledArguments(given, owner) } }),
  };
}

/** Asks a server for proposals, as `complete()` of `Resources` says. */
export async function complete(
  { asking, settings }: ResourceParts,
  { serverId, params }: { readonly serverId: string; readonly params: JsonObject },
  options: ReadOptions,
): Promise<Completion> {
  const { signal, context, meta, timeoutMs = settings.requestTimeoutMs } = options;
  const subject = { serverId, operation };
  return asking.ask({ ...subject, timeoutMs, signal, context }, async ({ server, request }) => {
    if (!isJsonObject(server.capabilities["completions"])) throw notOfferedError(subject);
    const { completion } = await request(operation, { ...params, ...(meta && { _meta: meta }) });
    if (!isJsonObject(completion) || !Array.isArray(completion["values"])) {
      throw malformedError(subject, "without an array of values");
    }
    return readProposals(completion["values"], completion);
  });
}

function readProposals(all: readonly unknown[], { total, hasMore }: JsonObject): Completion {
  const values: string[] = [];
  for (const value of all) {
    if (values.length === mostValues) break;
    if (typeof value === "string" && value.length <= longestUri) values.push(value);
  }
  return freezeData({
    values,
    ...(typeof total === "number" && total >= 0 && { total }),
    hasMore: hasMore === true || values.length < all.length,
  });
}

/** A variable of a template. */
export interface TemplateVariable {
  readonly name: string;
  /** Whether a URI can be made without it: it stands in the query, such as in `{?q}`. */
  readonly optional: boolean;
}

/** A template that was read. */
export interface UriTemplate {
  /** In the order of the template, each once. */
  readonly variables: readonly TemplateVariable[];
  /**
   * Puts the values in, as RFC 6570 has it for texts. Throws `invalid_arguments` that names
   * variables that are missing, or that the template does not have, and for a URI of more than
   * 8,192 UTF-16 units. The result is data: `read()` checks it.
   */
  readonly expand: (values: FilledArguments) => string;
}

interface Operator {
  /** Before the first value, and between values. */
  readonly first: string;
  readonly joint: string;
  /**
   * Whether a value stands after its name: `"always"` with `=`, also where it is empty; `"filled"`
   * without it then.
   */
  readonly named?: "always" | "filled";
  /** Whether reserved characters stay as they are. */
  readonly reserved?: true;
  readonly optional?: true;
}

// https://www.rfc-editor.org/rfc/rfc6570#appendix-A
const operators: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ["", { first: "", joint: "," }],
  ["+", { first: "", joint: ",", reserved: true }],
  ["#", { first: "#", joint: ",", reserved: true }],
  [".", { first: ".", joint: "." }],
  ["/", { first: "/", joint: "/" }],
  [";", { first: ";", joint: ";", named: "filled", optional: true }],
  ["?", { first: "?", joint: "&", named: "always", optional: true }],
  ["&", { first: "&", joint: "&", named: "always", optional: true }],
]);
// Names may have hyphens, which the RFC does not have and servers do. A variable with what may
// follow it: `*` means nothing for a text, `:n` its first n characters. No two parts can match the
// same character.
const variablePattern = /^((?:[A-Za-z0-9_-]|%[0-9A-Fa-f]{2}|\.(?!$|[.:*]))+)(?:\*|:([1-9][0-9]{0,3}))?$/;

interface Expression {
  readonly operator: Operator;
  readonly variables: readonly { readonly name: string; readonly most: number }[];
}

/**
 * Reads a template of URIs (RFC 6570, all four levels, for values that are texts). Throws
 * `invalid_arguments` for one that is malformed or of more than 8,192 UTF-16 units. Linear.
 */
export function parseUriTemplate(uriTemplate: string): UriTemplate {
  const parts = readParts(uriTemplate);
  const variables = new Map<string, TemplateVariable>();
  for (const part of parts) {
    if (typeof part === "string") continue;
    const optional = part.operator.optional === true;
    for (const { name } of part.variables) {
      variables.set(name, { name, optional: optional && (variables.get(name)?.optional ?? true) });
    }
  }
  const owner = { what: `template ${quoteText(uriTemplate)}` };
  return {
    variables: Array.from(variables.values()),
    expand(given) {
      const values = readFilledArguments(given, owner);
      const unknown = Object.keys(values).filter((name) => !variables.has(name));
      if (unknown.length > 0) throw refusal(owner, `has no variable ${nameAll(unknown)}`);
      const missing = Array.from(variables.values()).filter(
        ({ name, optional }) => !optional && !Object.hasOwn(values, name),
      );
      if (missing.length > 0)
        throw missingError(
          owner,
          missing.map(({ name }) => name),
        );
      const uri = parts.map((part) => (typeof part === "string" ? part : expand(part, values))).join("");
      if (uri.length <= longestUri) return uri;
      throw refusal(owner, `makes a URI of ${uri.length} UTF-16 units; at most ${longestUri} are sent`);
    },
  };
}

function readParts(text: string): readonly (string | Expression)[] {
  const malformed = (why: string): HostsideError => refusal({ what: `template ${quoteText(text)}` }, why);
  if (text.length > longestUri) throw malformed(`is longer than ${longestUri} UTF-16 units`);
  const parts: (string | Expression)[] = [];
  for (let at = 0; at < text.length;) {
    const begin = text.indexOf("{", at);
    const literal = text.slice(at, begin === -1 ? undefined : begin);
    if (literal.includes("}")) throw malformed("has a brace that nothing opens");
    if (literal !== "") parts.push(encodeText(literal, true));
    if (begin === -1) break;
    const end = text.indexOf("}", begin);
    if (end === -1) throw malformed("has a brace that nothing closes");
    const expression = readExpression(text.slice(begin + 1, end));
    if (expression === undefined)
      throw malformed(`has an expression that cannot be read: ${quoteText(text.slice(begin, end + 1), 64)}`);
    parts.push(expression);
    at = end + 1;
  }
  return parts;
}

function readExpression(text: string): Expression | undefined {
  const sign = text.slice(0, 1);
  const operator = operators.get(sign) ?? operators.get("");
  const variables = text
    .slice(operators.has(sign) ? 1 : 0)
    .split(",")
    .map((variable) => variablePattern.exec(variable));
  if (operator === undefined || variables.includes(null)) return undefined;
  return {
    operator,
    variables: variables.map((found) => ({
      name: found?.[1] ?? "",
      most: Number(found?.[2] ?? Number.POSITIVE_INFINITY),
    })),
  };
}

function expand({ operator, variables }: Expression, values: FilledArguments): string {
  const { first, joint, named, reserved = false } = operator;
  const filled = variables.flatMap(({ name, most }) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined) return [];
    const encoded = encodeText(most < value.length ? Array.from(value).slice(0, most).join("") : value, reserved);
    if (named === undefined) return [encoded];
    return [encoded === "" && named === "filled" ? name : `${name}=${encoded}`];
  });
  return filled.length === 0 ? "" : `${first}${filled.join(joint)}`;
}

// What stays with `+` and in literals beside unreserved characters: reserved ones, and what is
// encoded already.
const kept = /%[0-9A-Fa-f]{2}|[:/?#[\]@!$&'()*+,;=]+/g;

function encodeText(text: string, reserved: boolean): string {
  const clean = text.toWellFormed();
  if (!reserved) return encodePlain(clean);
  let encoded = "";
  let at = 0;
  for (const { 0: found, index } of clean.matchAll(kept)) {
    encoded += encodePlain(clean.slice(at, index)) + found;
    at = index + found.length;
  }
  return encoded + encodePlain(clean.slice(at));
}

// Of what `encodeURIComponent` leaves, RFC 3986 reserves these.
function encodePlain(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
