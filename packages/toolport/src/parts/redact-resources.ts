import type { CallContext } from "@toolport/core";
import { isPlainObject } from "@toolport/core/implement";
import type { Policy } from "@toolport/policy";
import type { Resources } from "@toolport/resources";

/** Who reads, where what was read is masked for them. */
export type ReaderOf = (given: CallContext | undefined) => CallContext | undefined;

/**
 * Resources and prompts whose contents, and the errors in their place, are masked as results of calls are. Lists and URIs stay as they are: what they name is
 * asked for by it.
 */
export function redactResources(
  resources: Resources,
  { policy, readerOf }: { readonly policy: Pick<Policy, "redactData">; readonly readerOf: ReaderOf },
): Resources {
  const masked = async <T>(work: Promise<T>, given: CallContext | undefined): Promise<T> => {
    const reader = readerOf(given);
    let content: T;
    try {
      content = await work;
    } catch (error) {
      throw policy.redactData(error, reader);
    }
    return withUris(policy.redactData(content, reader), content);
  };
  return {
    ...resources,
    read: async (target, options) => masked(resources.read(target, options), options?.context),
    getPrompt: async (target, args, options) => masked(resources.getPrompt(target, args, options), options?.context),
    complete: async (target, input, options) => masked(resources.complete(target, input, options), options?.context),
  };
}

/** The masked data with the URIs of the data. A mask keeps the shape, and what is as it was is the very same. */
function withUris<T>(masked: T, data: T): T {
  if (masked === data) return masked;
  if (Array.isArray(masked) && Array.isArray(data)) {
    return masked.map((one: unknown, at) => withUris(one, data[at] as unknown)) as T;
  }
  if (!isPlainObject(masked) || !isPlainObject(data)) return masked;
  const members = Object.entries(masked).map(([name, value]) => {
    const before: unknown = Reflect.get(data, name);
    return [name, name === "uri" && typeof before === "string" ? before : withUris<unknown>(value, before)];
  });
  return Object.fromEntries(members) as T;
}
