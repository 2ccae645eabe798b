import {
  readContent,
  HostsideError,
  type ContentBlock,
  type JsonObject,
  type ListedEntry,
  type CallOutcome,
  type Violation,
} from "@hostside/core";
import { isJsonObject, isPlainObject, kindOf, quoteText } from "@hostside/core/implement";
import { malformedError } from "./ask-server.ts";
import { maxContentLength, maxContents } from "./resources-options.ts";

/** A blank in a prompt, as its server lists it. */
export interface PromptArgument {
  /** At most 1,024 UTF-16 units. */
  readonly name: string;
  /** At most 1,024 UTF-16 units. */
  readonly title?: string;
  /** At most 8,192 UTF-16 units. */
  readonly description?: string;
  /** Whether its server says that the prompt cannot be had without it. */
  readonly required: boolean;
}

/**
 * A prompt as its server lists it. Its identity is its server's id and its name, which is never
 * cut. All texts are a server's: untrusted.
 */
export interface Prompt extends ListedEntry {
  /** In the server's order; the first of two with one name. */
  readonly arguments: readonly PromptArgument[];
}

/** One message of a prompt. A server's: untrusted, whatever role it claims. */
export interface PromptMessage {
  readonly role: "user" | "assistant";
  /**
   * What its type says ({@linkcode ContentBlock}), or of a kind that is not known, as it came.
   * `_meta` is for the host, never for a model.
   */
  readonly content: ContentBlock;
}

/** What a prompt became with its arguments. */
export interface FilledPrompt {
  readonly serverId: string;
  readonly name: string;
  /** At most 8,192 UTF-16 units. */
  readonly description?: string;
  /** In the server's order. */
  readonly messages: readonly PromptMessage[];
  /** Messages that could not be used: the first 100. */
  readonly dropped: readonly { readonly index: number; readonly reason: string }[];
  /** The `_meta` of the result, for the host. */
  readonly meta?: JsonObject;
}

/** One prompt of one server. */
export interface PromptTarget {
  readonly serverId: string;
  /** Byte for byte as it was listed. */
  readonly name: string;
  /**
   * As it was listed: then required arguments that are missing are refused before anything is sent.
   */
  readonly arguments?: readonly PromptArgument[] | undefined;
}

const mostReasons = 100;
const operation = "prompts/get";

/**
 * Reads the messages of a `prompts/get`, one by one: a malformed one costs itself. What is too much
 * is refused as a whole, and never cut. Throws `protocol_error` for a result without an array of
 * messages, and `message_too_large`, which says how much there was.
 */
export function readMessages({ messages }: JsonObject, serverId: string): Pick<FilledPrompt, "messages" | "dropped"> {
  const values: unknown = messages === null ? [] : messages;
  if (!Array.isArray(values)) throw malformedError({ serverId, operation }, "without an array of messages");
  const tooLarge = (used: number, limit: number, unit: string): HostsideError =>
    new HostsideError(
      `a prompt of server ${JSON.stringify(serverId)} has ${used} ${unit}; at most ${limit} are taken`,
      { code: "message_too_large", serverId, outcome: "failed", details: { operation, usage: { used, limit } } },
    );
  if (values.length > maxContents) throw tooLarge(values.length, maxContents, "messages");
  const read: PromptMessage[] = [];
  const dropped: { index: number; reason: string }[] = [];
  let used = 0;
  for (const [index, value] of (values as readonly unknown[]).entries()) {
    const message = readMessage(value);
    if (typeof message === "string") {
      if (dropped.length < mostReasons) dropped.push({ index, reason: message });
      continue;
    }
    used += lengthOf(message.content);
    read.push(message);
  }
  if (used > maxContentLength) throw tooLarge(used, maxContentLength, "UTF-16 units");
  return { messages: read, dropped };
}

function readMessage(value: unknown): PromptMessage | string {
  if (!isJsonObject(value)) return "it is no object";
  const { role, content: given } = value;
  // A server that could speak as anybody else would speak as the host.
  if (role !== "user" && role !== "assistant") return "its role is neither user nor assistant";
  const [content] = readContent([given]);
  const kind: string | undefined = content?.type;
  return content === undefined || kind === "malformed:block" ? "its content is no block" : { role, content };
}

// What does not come off a wire may be nested or cyclic beyond what can be written.
function lengthOf(content: PromptMessage["content"]): number {
  try {
    return JSON.stringify(content).length;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** What is filled in: a prompt's arguments, or the variables of a template, by name. */
export type FilledArguments = Readonly<Record<string, string>>;

/** Whose values are checked, for errors. */
export interface ArgumentsOwner {
  readonly serverId?: string;
  /** Such as `prompt "summarize"`. */
  readonly what: string;
}

/**
 * Refuses what is no object of texts with `invalid_arguments`: values come from users and models.
 * The copy has what was given and nothing that is `undefined`.
 */
export function readFilledArguments(values: unknown, owner: ArgumentsOwner): FilledArguments {
  if (!isPlainObject(values)) throw refusal(owner, `takes its values as an object, not as ${kindOf(values)}`);
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  const wrong = given.filter(([, value]) => typeof value !== "string");
  if (wrong.length > 0) {
    const violations = wrong.map(([name, value]) => ({
      path: pointerTo(name),
      keyword: "type",
      message: `must be a text, not ${kindOf(value)}`,
    }));
    throw refusal(owner, `takes texts alone; ${nameAll(wrong.map(([name]) => name))} must be one`, { violations });
  }
  // By definition and not by assignment, so that a member `__proto__` is one like any other.
  return Object.fromEntries(given.flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])));
}

/** The required ones that nothing was given for. */
export function missingArguments(
  declared: readonly Pick<PromptArgument, "name" | "required">[],
  values: FilledArguments,
): readonly string[] {
  return declared.filter(({ name, required }) => required && !Object.hasOwn(values, name)).map(({ name }) => name);
}

/** Names what is missing. `outcome` says whether the server was asked before that was known. */
export function missingError(
  owner: ArgumentsOwner,
  missing: readonly string[],
  { outcome = "not-sent", cause }: { readonly outcome?: CallOutcome; readonly cause?: HostsideError } = {},
): HostsideError {
  const violations = missing.map((name) => ({
    path: pointerTo(name),
    keyword: "required",
    message: "is required and missing",
  }));
  return refusal(owner, `needs ${nameAll(missing)}`, { violations, outcome, cause });
}

/** What an `invalid_arguments` has beside its message. */
interface RefusalInit {
  readonly violations?: readonly Violation[];
  /** Default `not-sent`. */
  readonly outcome?: CallOutcome;
  readonly cause?: HostsideError | undefined;
}

/** An `invalid_arguments`. */
export function refusal({ serverId, what }: ArgumentsOwner, problem: string, init: RefusalInit = {}): HostsideError {
  const { violations = [], outcome, cause } = init;
  const where = serverId === undefined ? "" : ` of server ${JSON.stringify(serverId)}`;
  return new HostsideError(`${what}${where} ${problem}`, {
    code: "invalid_arguments",
    ...(serverId !== undefined && { serverId }),
    ...(outcome !== undefined && { outcome }),
    details: { ...cause?.details, ...(violations.length > 0 && { violations: violations.slice(0, mostViolations) }) },
    ...(cause && { cause }),
  });
}

// An error is read by people and models.
const mostViolations = 20;

/** Names in quotation marks, the first ten of them. */
export function nameAll(names: readonly string[]): string {
  const shown = names.slice(0, 10).map((name) => quoteText(name, 64));
  const more = names.length > shown.length ? ` and ${names.length - shown.length} more` : "";
  return `${shown.join(", ")}${more}`;
}

function pointerTo(name: string): string {
  return `/${name.slice(0, 256).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
