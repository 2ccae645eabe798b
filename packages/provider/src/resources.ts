// For products: resources, templates, subscriptions and prompts of all servers.
export { createResources, type ResourceListing, type Resources, type TemplateListing } from "./resources/resources.ts";
export type { ResourcesOptions } from "./resources/resources-options.ts";
export type { ResourceProvider, ResourceServerStatus, ResourceUpdate } from "./resources/resource-provider.ts";
export type { ReadCacheOptions } from "./resources/read-cache.ts";
export type { ResourceRead } from "./resources/read-cache.ts";
export { allowsUri, readAllowedUris, type AllowUri } from "./resources/check-uri.ts";
export type { ResourceTarget } from "./resources/read-resource.ts";
export type { ResourceStats, ServerStats } from "./resources/read-stats.ts";
export type { DroppedEntry } from "./resources/list-server.ts";
export type { ServerFailure } from "./resources/server-lists.ts";
export type { ListChange, ListSnapshot, ListState } from "./resources/live-list.ts";
export type { EntriesDiff } from "./resources/live-list.ts";
export type { ListOptions, ReadOptions } from "./resources/server-lists.ts";
export type { SubscribedUpdate, SubscribeOptions, UpdateListener } from "./resources/subscriptions.ts";
export { parseUriTemplate, type TemplateVariable, type UriTemplate } from "./resources/complete.ts";
export type { Completion, CompletionInput, CompletionTarget } from "./resources/complete.ts";
export type { FilledArguments } from "./resources/prompt.ts";
export type { PromptListing, Prompts } from "./resources/create-prompts.ts";
export type { FilledPrompt, Prompt, PromptArgument, PromptMessage, PromptTarget } from "./resources/prompt.ts";
export type { ServerOffer, ServerOffers } from "./resources/follow-provider.ts";
export { readSelected } from "./resources/read-selected.ts";
export type {
  SelectedFailure,
  SelectedOptions,
  SelectedResource,
  SelectedResources,
} from "./resources/read-selected.ts";
export { appOf, type AppReference } from "./resources/app.ts";
export { readApp } from "./resources/app.ts";
export type { App, AppPermission, AppPolicy } from "./resources/app.ts";
