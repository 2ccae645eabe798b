import { cleanText, type HostsideError } from "@hostside/core";
import type { Exposure } from "../gateway-options.ts";

const mostServers = 10;

/**
 * What a model that has this gateway alone can do about a name that no tool has, as sentences.
 * `error`: the `unknown_tool`, where there is one. Pure.
 */
export function adviseUnknownTool(expose: Exposure, error?: HostsideError): string {
  const { suggestions = [], servers = [] } = error?.details ?? {};
  const meant = suggestions.map((name) => JSON.stringify(name)).join(" or ");
  const named = servers.slice(0, mostServers).map(({ id, state }) => `${JSON.stringify(cleanText(id, 80))} (${state})`);
  const more = servers.length > named.length ? ` and ${servers.length - named.length} more` : "";
  return [
    ...(meant === "" ? [] : [`Did you mean ${meant}?`]),
    ...(named.length === 0 ? [] : [`Servers whose tools are not known now: ${named.join(", ")}${more}.`]),
    expose === "all"
      ? "tools/list has the tools that there are."
      : "Find the tools that there are with tools_search, or list their groups with tools_groups.",
  ].join(" ");
}
