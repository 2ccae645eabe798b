// For products: resources, templates, subscriptions and prompts of all servers.
export { createResources, type ResourceListing, type Resources, type TemplateListing } from "./resources.ts";
export type { ResourcesOptions } from "./resources-options.ts";
export type { ResourceProvider, ResourceServerStatus, ResourceUpdate } from "./resource-provider.ts";
export type { TruncatedField, ListedEntry, Resource, ResourceContents, ResourceTemplate } from "./resource.ts";
export type { ReadCacheOptions } from "./reading/cache-options.ts";
export type { ResourceRead } from "./reading/resource-read.ts";
export { allowsUri, readAllowedUris, type AllowUri } from "./reading/check-uri.ts";
export type { ResourceTarget } from "./reading/read-resource.ts";
export type { ResourceStats, ServerStats } from "./reading/read-stats.ts";
export type { DroppedEntry } from "./listing/list-kind.ts";
export type { ServerFailure } from "./listing/list-servers.ts";
export type { ListChange, ListSnapshot, ListState } from "./listing/live-list.ts";
export type { EntriesDiff } from "./listing/diff-entries.ts";
export type { ListOptions, ReadOptions } from "./listing/server-lists.ts";
export type { SubscribedUpdate, SubscribeOptions, UpdateListener } from "./watching/subscriptions.ts";
export { parseUriTemplate, type TemplateVariable, type UriTemplate } from "./completing/uri-template.ts";
export type { Completion, CompletionInput, CompletionTarget } from "./completing/complete.ts";
export type { FilledArguments } from "./prompts/check-arguments.ts";
export type { PromptListing, Prompts } from "./prompts/create-prompts.ts";
export type { FilledPrompt, Prompt, PromptArgument, PromptMessage, PromptTarget } from "./prompts/prompt.ts";
export type { ServerOffer, ServerOffers } from "./watching/server-offers.ts";
export { createResourceTools, resourceTools } from "./tools/create-resource-tools.ts";
export type { ResourceTool, ResourceToolResult } from "./tools/resource-tool.ts";
export type { BlobToSave, ResourceToolsOptions, ResourceToolsShape, SaveResourceBlob } from "./tools/tool-options.ts";
export { readSelected } from "./selecting/read-selected.ts";
export type {
  SelectedFailure,
  SelectedOptions,
  SelectedResource,
  SelectedResources,
} from "./selecting/read-selected.ts";
export { appOf, type AppReference } from "./apps/app-of.ts";
export { readApp } from "./apps/read-app.ts";
export type { App, AppPermission, AppPolicy } from "./apps/app.ts";
