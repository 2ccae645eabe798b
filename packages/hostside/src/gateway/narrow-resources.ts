import { HostsideError, type ListedEntry } from "@hostside/core";
import type { GatewayResources } from "@hostside/gateway";

/**
 * Restricts lists and requests to servers that are offered.
 *
 * @example
 * const resources = narrowResources(host.resources, (serverId) => serverId !== "internal");
 */
export function narrowResources(all: GatewayResources, isOffered: (serverId: string) => boolean): GatewayResources {
  const only = <T extends ListedEntry>(entries: readonly T[]): readonly T[] =>
    entries.filter(({ serverId }) => isOffered(serverId));
  const asking = <Target extends { readonly serverId: string }>(target: Target): Target => {
    if (isOffered(target.serverId)) return target;
    const message = `server ${JSON.stringify(target.serverId)} offers nothing here`;
    throw new HostsideError(message, { code: "unknown_server", serverId: target.serverId });
  };
  const part = <S extends { readonly entries: readonly ListedEntry[] }>(snapshot: S): S => ({
    ...snapshot,
    entries: only(snapshot.entries),
  });
  return {
    async list(options) {
      const listed = await all.list(options);
      return { ...listed, resources: only(listed.resources) };
    },
    async listTemplates(options) {
      const listed = await all.listTemplates(options);
      return { ...listed, templates: only(listed.templates) };
    },
    async listPrompts(options) {
      const listed = await all.listPrompts(options);
      return { ...listed, prompts: only(listed.prompts) };
    },
    read: async (target, options) => all.read(asking(target), options),
    subscribe: async (target, onUpdate, options) => all.subscribe(asking(target), onUpdate, options),
    getPrompt: async (target, args, options) => all.getPrompt(asking(target), args, options),
    complete: async (target, input, options) => all.complete(asking(target), input, options),
    snapshot: () => part(all.snapshot()),
    templateSnapshot: () => part(all.templateSnapshot()),
    promptSnapshot: () => part(all.promptSnapshot()),
    onResourcesChanged: all.onResourcesChanged,
    onTemplatesChanged: all.onTemplatesChanged,
    onPromptsChanged: all.onPromptsChanged,
  };
}
