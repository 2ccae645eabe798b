import { HostsideError, type Event, type ListedEntry } from "@hostside/core";
import { createEvent } from "@hostside/core/implement";
import type { GatewayResources, GatewaySnapshot } from "@hostside/gateway";

/** Resources and prompts of some servers, of which there may be others later. */
export interface NarrowedResources extends GatewayResources {
  /** Says that `isOffered` answers differently now. */
  readonly changed: () => void;
  /** Listens no longer. The resources that it is made from stay open. */
  readonly close: () => void;
}

/**
 * Restricts lists and requests to servers that are offered.
 *
 * @example
 * const resources = narrowResources(host.resources, (serverId) => serverId !== "internal");
 */
export function narrowResources(all: GatewayResources, isOffered: (serverId: string) => boolean): NarrowedResources {
  const only = <T extends ListedEntry>(entries: readonly T[]): readonly T[] =>
    entries.filter(({ serverId }) => isOffered(serverId));
  const asking = <Target extends { readonly serverId: string }>(target: Target): Target => {
    if (isOffered(target.serverId)) return target;
    const message = `server ${JSON.stringify(target.serverId)} offers nothing here`;
    throw new HostsideError(message, { code: "unknown_server", serverId: target.serverId });
  };
  const resources = follow(all.onResourcesChanged, () => all.snapshot(), only);
  const templates = follow(all.onTemplatesChanged, () => all.templateSnapshot(), only);
  const prompts = follow(all.onPromptsChanged, () => all.promptSnapshot(), only);
  const kinds = [resources, templates, prompts];
  return {
    async list(options) {
      const { resources: entries, failures } = await all.list(options);
      return { resources: only(entries), ...(failures && { failures }) };
    },
    async listTemplates(options) {
      const { templates: entries, failures } = await all.listTemplates(options);
      return { templates: only(entries), ...(failures && { failures }) };
    },
    async listPrompts(options) {
      const { prompts: entries, failures } = await all.listPrompts(options);
      return { prompts: only(entries), ...(failures && { failures }) };
    },
    read: async (target, options) => all.read(asking(target), options),
    subscribe: async (serverId, uri, options) => all.subscribe(asking({ serverId }).serverId, uri, options),
    getPrompt: async (target, args, options) => all.getPrompt(asking(target), args, options),
    complete: async (target, input, options) => all.complete(asking(target), input, options),
    snapshot: resources.snapshot,
    templateSnapshot: templates.snapshot,
    promptSnapshot: prompts.snapshot,
    onResourcesChanged: resources.onChanged,
    onTemplatesChanged: templates.onChanged,
    onPromptsChanged: prompts.onChanged,
    changed: () => kinds.forEach((kind) => kind.changed()),
    close: () => kinds.forEach((kind) => kind.close()),
  };
}

interface Kind<T> {
  readonly snapshot: () => GatewaySnapshot<T>;
  readonly onChanged: Event<unknown>;
  readonly changed: () => void;
  readonly close: () => void;
}

/** One list, whose number grows with that of all and whenever others are offered. */
function follow<T extends ListedEntry>(
  onChanged: Event<unknown>,
  read: () => GatewaySnapshot<T>,
  only: (entries: readonly T[]) => readonly T[],
): Kind<T> {
  const events = createEvent<unknown>();
  const end = onChanged((change) => events.emit(change));
  let known: { readonly from: GatewaySnapshot<T>; readonly snapshot: GatewaySnapshot<T> } | undefined;
  let revision = 0;
  return {
    snapshot() {
      const from = read();
      if (known?.from.revision !== from.revision) {
        revision += 1;
        known = { from, snapshot: { revision, entries: only(from.entries) } };
      }
      return known.snapshot;
    },
    onChanged: events.on,
    changed() {
      known = undefined;
      events.emit(undefined);
    },
    close() {
      end();
      events.close();
    },
  };
}
