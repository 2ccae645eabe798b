import type { JsonObject } from "@toolport/core";
import { isJsonObject } from "@toolport/core/implement";
import type { ChangeEvents, ListKind } from "../wire/report-changes.ts";
import type { ChangeFilter } from "../message/listening-client.ts";
import type { GuardedHooks } from "../context/guard-hooks.ts";

/** The way of a server's changes to the hooks that want them. */
export interface ChangeRouter extends ChangeEvents {
  /** Changes may have gone unheard: every hook is told what it would have been told. */
  readonly onMissed: () => void;
  /** What the server has, by its capabilities, and how many of its resources are subscribed to. Called once, when that is known. */
  begin(known: { readonly capabilities: JsonObject; readonly subscribed: () => readonly string[] }): void;
}

const listKinds: readonly ListKind[] = ["tools", "resources", "prompts"];

/** Makes one. */
export function createChangeRouter(hooks: GuardedHooks): ChangeRouter {
  const reported = {
    tools: hooks.onToolsChanged,
    resources: hooks.onResourcesChanged,
    prompts: hooks.onPromptsChanged,
  };
  let subscribed = (): readonly string[] => [];
  let kinds: readonly ListKind[] = ["tools"];
  const onListChanged = (kind: ListKind): void => reported[kind]?.();
  const onResourceUpdated = (uri: string | undefined): void => {
    const uris = subscribed();
    if (uris.length === 0) return;
    for (const each of uri === undefined ? uris : [uri]) hooks.onResourceUpdated?.(each);
  };
  return {
    onListChanged,
    onResourceUpdated,
    onNotification: hooks.onNotification,
    onMissed() {
      for (const kind of kinds) onListChanged(kind);
      onResourceUpdated(undefined);
    },
    begin(known) {
      ({ subscribed } = known);
      kinds = listKinds.filter((kind) => kind === "tools" || isJsonObject(known.capabilities[kind]));
    },
  };
}

/** What a server of 2026-07-28 is asked to tell of: what it says that it can, as far as there is a hook for it. */
export function wantedLists(
  capabilities: JsonObject,
  hooks: GuardedHooks,
): Omit<ChangeFilter, "resourceSubscriptions"> {
  const announces = (kind: ListKind): boolean => {
    const declared = capabilities[kind];
    return isJsonObject(declared) && declared["listChanged"] === true;
  };
  const wantsAll = hooks.onNotification !== undefined;
  return {
    ...(announces("tools") && { toolsListChanged: true }),
    ...(announces("resources") && (wantsAll || hooks.onResourcesChanged) && { resourcesListChanged: true }),
    ...(announces("prompts") && (wantsAll || hooks.onPromptsChanged) && { promptsListChanged: true }),
  };
}
