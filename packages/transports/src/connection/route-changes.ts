import type { JsonObject, ServerNotification } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import type { ChangeEvents, ServerListName } from "../wire/report-changes.ts";
import type { ChangeFilter } from "../message/listening-client.ts";
import type { GuardedHooks } from "../context/guard-hooks.ts";
import type { ResourceSubscriptions } from "./resource-subscriptions.ts";

const listKinds: readonly ServerListName[] = ["tools", "resources", "prompts"];
const toolsAlone: readonly ServerListName[] = ["tools"];

/** The way of a server's changes to the hooks that want them. */
export class ChangeRouter implements ChangeEvents {
  readonly #hooks: GuardedHooks;
  #kinds = toolsAlone;
  #resources: Pick<ResourceSubscriptions, "uris"> | undefined;

  constructor(hooks: GuardedHooks) {
    this.#hooks = hooks;
  }

  /**
   * What the server has, by its capabilities, and which of its resources are subscribed to. Called
   * once, when that is known.
   */
  begin(capabilities: JsonObject, resources: Pick<ResourceSubscriptions, "uris">): void {
    this.#resources = resources;
    const others = listKinds.filter((kind) => kind !== "tools" && isJsonObject(capabilities[kind]));
    if (others.length > 0) this.#kinds = [...toolsAlone, ...others];
  }

  onListChanged(kind: ServerListName): void {
    if (kind === "tools") this.#hooks.onToolsChanged();
    else if (kind === "resources") this.#hooks.onResourcesChanged();
    else this.#hooks.onPromptsChanged();
  }

  onResourceUpdated(uri: string | undefined): void {
    const uris = this.#resources?.uris() ?? [];
    if (uris.length === 0) return;
    for (const each of uri === undefined ? uris : [uri]) this.#hooks.onResourceUpdated(each);
  }

  onMissed(): void {
    for (const kind of this.#kinds) this.onListChanged(kind);
    this.onResourceUpdated(undefined);
  }

  onNotification(notification: ServerNotification): void {
    this.#hooks.onNotification(notification);
  }
}

/**
 * What a server of 2026-07-28 is asked to tell of: what it says that it can, as far as there is a
 * hook for it.
 */
export function wantedLists(
  capabilities: JsonObject,
  hooks: GuardedHooks,
): Omit<ChangeFilter, "resourceSubscriptions"> {
  const announces = (kind: ServerListName): boolean => {
    const declared = capabilities[kind];
    return isJsonObject(declared) && declared["listChanged"] === true;
  };
  const wantsAll = hooks.wants("onNotification");
  return {
    ...(announces("tools") && { toolsListChanged: true }),
    ...(announces("resources") && (wantsAll || hooks.wants("onResourcesChanged")) && { resourcesListChanged: true }),
    ...(announces("prompts") && (wantsAll || hooks.wants("onPromptsChanged")) && { promptsListChanged: true }),
  };
}
