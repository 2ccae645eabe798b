// For products: resources, templates, subscriptions and prompts of all servers.
export { createResources, type ResourceListing, type Resources, type TemplateListing } from "./resources.ts";
export type { ResourcesOptions } from "./resources-options.ts";
export type { ResourceProvider, ResourceServerStatus, ResourceUpdate } from "./resource-provider.ts";
export type { CutText, ListedEntry, Resource, ResourceContents, ResourceTemplate } from "./resource.ts";
export type { ReadCacheOptions } from "./reading/cache-options.ts";
export type { ResourceRead } from "./reading/resource-read.ts";
export type { ResourceTarget } from "./reading/read-resource.ts";
export type { ResourceStats, ServerStats } from "./reading/read-stats.ts";
export type { DroppedEntry } from "./listing/list-kind.ts";
export type { ServerFailure } from "./listing/list-servers.ts";
export type { ListChange, ListSnapshot, ListState } from "./listing/live-list.ts";
export type { EntriesDiff } from "./listing/diff-entries.ts";
export type { ListOptions, ReadOptions } from "./listing/server-lists.ts";
export type { SubscribedUpdate, SubscribeOptions, UpdateListener } from "./watching/subscriptions.ts";
