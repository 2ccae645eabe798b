// For products: resources, templates, subscriptions and prompts of all servers.
export {};
