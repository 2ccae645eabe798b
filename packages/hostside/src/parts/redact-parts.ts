import { cleanText, type Diagnostic, type ElicitationRequest, type JsonValue, type CallContext } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import type { Policy } from "@hostside/policy";
import type { HostOptions } from "../host-options.ts";
import type { Resources } from "@hostside/provider/resources";

/** What it is made with. */
export interface RedactQuestionsInit {
  readonly policy: Pick<Policy, "redactText">;
  readonly report: (diagnostic: Diagnostic) => void;
}

/**
 * Asks questions of servers with secrets masked in what a user reads of them, as in results. What
 * is sent back stays as it is, and names of fields, because anything else would be another answer:
 * a question with a secret there is asked of nobody. An address that a user is to open stays, too:
 * by anything else it would lead nowhere.
 */
export function redactQuestions(
  onElicit: HostOptions["onElicit"],
  { policy, report }: RedactQuestionsInit,
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
  /** Whether a user reads it, and no program. */
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

/** Who reads, where what was read is masked for them. */
export type ReaderOf = (given: CallContext | undefined) => CallContext | undefined;

/**
 * Resources and prompts whose contents, and the errors in their place, are masked as results of
 * calls are. Lists and URIs stay as they are: what they name is asked for by it.
 */
export function redactResources(
  resources: Resources,
  { policy, readerOf }: { readonly policy: Pick<Policy, "redactData">; readonly readerOf: ReaderOf },
): Resources {
  const masked = async <T>(
    work: Promise<T>,
    given: CallContext | undefined,
  ): Promise<readonly [masked: T, content: T]> => {
    const reader = readerOf(given);
    let content: T;
    try {
      content = await work;
    } catch (error) {
      throw await policy.redactData(error, reader);
    }
    return [await policy.redactData(content, reader), content] as const;
  };
  return {
    ...resources,
    async read(target, options) {
      const [read, before] = await masked(resources.read(target, options), options?.context);
      return read === before ? read : { ...read, uri: before.uri, contents: keepUris(read.contents, before.contents) };
    },
    async getPrompt(target, args, options) {
      const [filled, before] = await masked(resources.getPrompt(target, args, options), options?.context);
      if (filled === before) return filled;
      const messages = filled.messages.map((message, at) => {
        const content = keepUri(message.content, before.messages[at]?.content ?? message.content);
        return content === message.content ? message : { ...message, content };
      });
      return { ...filled, messages };
    },
    async complete(target, input, options) {
      const [completed] = await masked(resources.complete(target, input, options), options?.context);
      return completed;
    },
  };
}

/** What has a URI: a piece of what was read, a link, an embedded resource. */
interface WithUri {
  readonly uri?: unknown;
  readonly resource?: { readonly uri?: unknown };
}

/** A mask keeps the shape, and what is as it was is the very same. */
function keepUri<T>(masked: T, before: T): T {
  if (masked === before) return masked;
  const { uri, resource } = before as WithUri;
  const { resource: maskedResource } = masked as WithUri;
  return {
    ...masked,
    ...(typeof uri === "string" && { uri }),
    ...(typeof resource?.uri === "string" && { resource: { ...maskedResource, uri: resource.uri } }),
  };
}

function keepUris<T>(masked: readonly T[], before: readonly T[]): readonly T[] {
  return masked.map((one, at) => keepUri(one, before[at] ?? one));
}
