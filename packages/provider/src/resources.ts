// For products: resources, templates, subscriptions and prompts of all servers.
export { createResources, type Resources } from "./resources/resources.ts";
export type { ResourcesOptions } from "./resources/resources-options.ts";
export type { ResourceProvider } from "./resources/resource-provider.ts";
export type { ReadCacheOptions } from "./resources/read-cache.ts";
export type { ResourceRead } from "./resources/read-cache.ts";
export { allowsUri, readAllowedUris } from "./resources/check-uri.ts";
export type { ListChange } from "./resources/live-list.ts";
export type { ListOptions, ReadOptions } from "./resources/server-lists.ts";
export type { SubscribedUpdate, SubscribeOptions } from "./resources/subscriptions.ts";
export type { Completion } from "./resources/complete.ts";
export type { Prompts } from "./resources/create-prompts.ts";
export type { FilledPrompt, Prompt, PromptMessage } from "./resources/prompt.ts";
export { readSelected } from "./resources/read-selected.ts";
export { appOf } from "./resources/app.ts";
export { readApp } from "./resources/app.ts";
export type { App } from "./resources/app.ts";
