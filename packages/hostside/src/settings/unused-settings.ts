import type { LoadedConfig } from "@hostside/config/node";
import type { Diagnostic } from "@hostside/core";
import { issuerOfMetadata } from "../auth/to-client.ts";

/** What a configuration says of its servers and nothing here does; one for each. */
export function unusedSettings({ sources }: LoadedConfig): readonly Diagnostic[] {
  return sources.flatMap(({ serverId, state, extras: { oauth, resources, taskWaitMs } }) => {
    if (state !== "on") return [];
    const found: string[] = [];
    if (oauth?.metadataUrl !== undefined && issuerOfMetadata(oauth.metadataUrl) === undefined) {
      found.push("the metadata URL of oauth is none of an authorization server");
    }
    if (resources === false) found.push("resources: false: resources are on offer or not for all servers");
    if (taskWaitMs !== undefined) found.push("taskWaitMs: a task has the time of its call");
    return found.map((what) => ({
      kind: "setting-unused" as const,
      serverId,
      message: `server ${JSON.stringify(serverId)}: not used: ${what}`,
    }));
  });
}
