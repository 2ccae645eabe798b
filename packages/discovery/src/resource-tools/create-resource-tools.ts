import type { ToolProvider } from "@hostside/core";
import { assertKnownOptions, createHostTools, type Fields } from "@hostside/core/implement";
import { resolveToolNames } from "../catalog/static-tool.ts";
import type { ResourceSource } from "./resource-source.ts";
import {
  makeResourceTools,
  offeringServers,
  type ResourceToolNames,
  type ResourceToolsOptions,
} from "./resource-tool.ts";

const fields: Fields<ResourceToolsOptions> = { names: true };
const defaultNames: ResourceToolNames = {
  list: "resources_list",
  templates: "resources_templates",
  read: "resources_read",
};
const group = {
  id: "resources",
  title: "Resources",
  description: "What MCP servers have to read besides their tools",
};

/**
 * Makes a provider for `createToolbox({ providers })` of the tools by which a model lists and reads
 * resources. There are none until a server says that it has resources, and none again when the last
 * such server is removed or disabled. A server that is down keeps them. Calls go over `resources`,
 * and so over the connections and layers of its provider. `init()` and `refresh()` start nothing.
 * `close()` leaves the resources open. Throws a `TypeError` that names an option that cannot be
 * used.
 *
 * @example
 * const resourceTools = createResourceTools(createResources(provider));
 * const toolbox = createToolbox({ providers: [provider, resourceTools] });
 */
export function createResourceTools(resources: ResourceSource, options: ResourceToolsOptions = {}): ToolProvider {
  assertKnownOptions("createResourceTools()", options, fields);
  const names = resolveToolNames("names", defaultNames, options.names);
  const tools = makeResourceTools({ resources, names });
  const { provider, show } = createHostTools(group, () => unfollow());
  const follow = (): void => show(offeringServers(resources).length > 0 ? tools : []);
  const unfollow = resources.onServersChanged(follow);
  follow();
  return provider;
}
