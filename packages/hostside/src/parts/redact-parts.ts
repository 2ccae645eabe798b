import { cleanText, type Diagnostic, type ElicitationRequest, type JsonValue, type CallContext } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import type { Policy } from "@hostside/policy";
import type { HostOptions } from "../contract/host-options.ts";
import type { Resources } from "@hostside/provider/resources";

/**
 * Asks questions of servers with secrets masked in what a user reads of them, as in results. Values
 * that are sent back, and names of fields, stay as they are, because anything else would be another
 * answer: a question with a secret there is asked of nobody. An address that a user is to open
 * stays, too: by anything else it would lead nowhere.
 */
export function redactQuestions(
  onElicit: HostOptions["onElicit"],
  {
    policy,
    report,
  }: { readonly policy: Pick<Policy, "redactText">; readonly report: (diagnostic: Diagnostic) => void },
): HostOptions["onElicit"] {
  if (onElicit === undefined) return undefined;
  return async (request, ...rest) => {
    const { context, mode, params, serverId } = request;
    const mask = (text: string): string => policy.redactText(text, context);
    const message = mask(request.message);
    if (mode === "url") return onElicit({ ...request, message, params: { ...params, message } }, ...rest);
    let left = mostTexts;
    const maskOne = (text: string): string => ((left -= 1) < 0 ? "" : mask(text));
    const shown = maskShown(params, { mask: maskOne, isRead: false, depth: 0 });
    if (shown !== undefined && left >= 0) {
      return onElicit({ ...request, message, params: shown as ElicitationRequest["params"] }, ...rest);
    }
    const reason = `a question was not asked, because what would be sent back has a secret in it, or cannot be looked through: ${cleanText(message, 200)}`;
    report({ kind: "defect", serverId, message: reason });
    return { action: "cancel" };
  };
}

interface Masking {
  readonly mask: (text: string) => string;
  /** `true` if a user reads it, and no program. */
  readonly isRead: boolean;
  readonly depth: number;
}

const readMembers: ReadonlySet<string> = new Set(["message", "title", "description", "enumNames"]);
// Each is searched for every secret. No user reads so many.
const mostTexts = 5000;
// As deep as the mask of results looks.
const mostLevels = 200;

/**
 * The same with masked texts; `undefined` where a secret is in anything else, or it is too deep to
 * be looked through.
 */
function maskShown(value: JsonValue | undefined, masking: Masking): JsonValue | undefined {
  const { mask, isRead, depth } = masking;
  if (typeof value === "string") {
    const masked = mask(value);
    return isRead || masked === value ? masked : undefined;
  }
  if (value === null || typeof value !== "object") return value;
  if (depth >= mostLevels) return undefined;
  const below = { ...masking, depth: depth + 1 };
  if (Array.isArray(value)) {
    const members = value.map((member: JsonValue) => maskShown(member, below));
    return members.includes(undefined) ? undefined : (members as JsonValue);
  }
  if (!isJsonObject(value)) return undefined;
  const members = Object.entries(value).map(([name, member]) => {
    // A field may have such a name, and is no text then.
    const isText = readMembers.has(name) && (typeof member === "string" || Array.isArray(member));
    return [name, mask(name) === name ? maskShown(member, { ...below, isRead: isText }) : undefined] as const;
  });
  const isWhole = members.every(([name, member]) => member !== undefined || value[name] === undefined);
  return isWhole ? Object.fromEntries(members) : undefined;
}

/**
 * Resources and prompts whose contents, and the errors in their place, are masked as results of
 * calls are, for the reader that `readerOf` says. Lists and URIs stay as they are: what they name
 * is asked for by it.
 */
export function redactResources(
  resources: Resources,
  policy: Pick<Policy, "redactData">,
  readerOf: (given: CallContext | undefined) => CallContext | undefined,
): Resources {
  const masked = async <T>(work: Promise<T>, given: CallContext | undefined): Promise<T> => {
    const reader = readerOf(given);
    const content = await work.catch(async (error: unknown) => {
      throw await policy.redactData(error, reader);
    });
    return keepUris(await policy.redactData(content, reader), content);
  };
  return {
    ...resources,
    read: (target, options) => masked(resources.read(target, options), options?.context),
    getPrompt: (target, args, options) => masked(resources.getPrompt(target, args, options), options?.context),
    complete: (target, input, options) => masked(resources.complete(target, input, options), options?.context),
  };
}

const holdersOfUris: ReadonlySet<string> = new Set(["contents", "messages", "content", "resource"]);

/**
 * The masked value with the URIs of the value before: of what was read, a link, and an embedded
 * resource. A mask keeps the shape, and a part without secrets is the very same.
 */
function keepUris<T>(masked: T, before: T): T {
  if (masked === before || typeof masked !== "object" || masked === null) return masked;
  const ownOf = (name: string | number): unknown => Reflect.get(before as object, name);
  if (Array.isArray(masked)) return masked.map((one: unknown, at) => keepUris(one, ownOf(at))) as T;
  const entries = Object.entries(masked).map(([name, member]: [string, unknown]) => {
    const own = ownOf(name);
    if (name === "uri" && typeof own === "string") return [name, own] as const;
    return [name, holdersOfUris.has(name) ? keepUris(member, own) : member] as const;
  });
  return Object.fromEntries(entries) as T;
}
