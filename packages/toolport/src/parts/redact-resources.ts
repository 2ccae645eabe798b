import type { CallContext } from "@toolport/core";
import type { Policy } from "@toolport/policy";
import type { Resources } from "@toolport/resources";

/** Resources and prompts whose contents, and the errors in their place, are masked as results of calls are. Lists stay as they are: what they name is asked for by it. */
export function redactResources(resources: Resources, { redactData }: Pick<Policy, "redactData">): Resources {
  const masked = async <T>(work: Promise<T>, context: CallContext | undefined): Promise<T> => {
    let content: T;
    try {
      content = await work;
    } catch (error) {
      throw redactData(error, context);
    }
    return redactData(content, context);
  };
  return {
    ...resources,
    read: async (target, options) => masked(resources.read(target, options), options?.context),
    getPrompt: async (target, args, options) => masked(resources.getPrompt(target, args, options), options?.context),
    complete: async (target, input, options) => masked(resources.complete(target, input, options), options?.context),
  };
}
