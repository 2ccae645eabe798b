// For products: resources, templates, subscriptions and prompts of all servers.
export { createResources, type ResourceListing, type Resources, type TemplateListing } from "./resources/resources.ts";
export type { ResourcesOptions } from "./resources/resources-options.ts";
export type { ResourceProvider, ResourceServerStatus, ResourceUpdate } from "./resources/resource-provider.ts";
export type { ReadCacheOptions } from "./resources/reading/cache-options.ts";
export type { ResourceRead } from "./resources/reading/resource-read.ts";
export { allowsUri, readAllowedUris, type AllowUri } from "./resources/reading/check-uri.ts";
export type { ResourceTarget } from "./resources/reading/read-resource.ts";
export type { ResourceStats, ServerStats } from "./resources/reading/read-stats.ts";
export type { DroppedEntry } from "./resources/listing/list-kind.ts";
export type { ServerFailure } from "./resources/listing/list-servers.ts";
export type { ListChange, ListSnapshot, ListState } from "./resources/listing/live-list.ts";
export type { EntriesDiff } from "./resources/listing/diff-entries.ts";
export type { ListOptions, ReadOptions } from "./resources/listing/server-lists.ts";
export type { SubscribedUpdate, SubscribeOptions, UpdateListener } from "./resources/watching/subscriptions.ts";
export { parseUriTemplate, type TemplateVariable, type UriTemplate } from "./resources/completing/uri-template.ts";
export type { Completion, CompletionInput, CompletionTarget } from "./resources/completing/complete.ts";
export type { FilledArguments } from "./resources/prompts/check-arguments.ts";
export type { PromptListing, Prompts } from "./resources/prompts/create-prompts.ts";
export type { FilledPrompt, Prompt, PromptArgument, PromptMessage, PromptTarget } from "./resources/prompts/prompt.ts";
export type { ServerOffer, ServerOffers } from "./resources/watching/server-offers.ts";
export { readSelected } from "./resources/selecting/read-selected.ts";
export type {
  SelectedFailure,
  SelectedOptions,
  SelectedResource,
  SelectedResources,
} from "./resources/selecting/read-selected.ts";
export { appOf, type AppReference } from "./resources/apps/app-of.ts";
export { readApp } from "./resources/apps/read-app.ts";
export type { App, AppPermission, AppPolicy } from "./resources/apps/app.ts";
