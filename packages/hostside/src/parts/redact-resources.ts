import type { CallContext } from "@hostside/core";
import type { Policy } from "@hostside/policy";
import type { Resources } from "@hostside/provider/resources";

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
