// For products: resources, templates, subscriptions and prompts of all servers.
export { createResources, type Resources } from "./resources/resources.ts";
export type { ResourcesOptions } from "./resources/resources-options.ts";
export { allowsUri, readAllowedUris } from "./resources/check-uri.ts";
export type { Prompt } from "./resources/prompts.ts";
