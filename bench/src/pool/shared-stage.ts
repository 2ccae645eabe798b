import type { ServerSpec } from "@hostside/core";
import { createToolbox, type Toolbox, type ToolboxView } from "@hostside/discovery";
import { createSharedProviders, type SharedProviders } from "@hostside/cluster";
import { createNameBook, createProvider } from "@hostside/provider";
import { createConnector } from "@hostside/transports";
import { startHttpServers } from "../host/start-servers.ts";

/** How many servers all conversations share, and how many tools each of them has. */
export const plan = { count: 8, tools: 8 } as const;

/** Eight servers over HTTP, each in a process of its own, that all conversations share. */
export interface SharedStage extends AsyncDisposable {
  readonly servers: readonly ServerSpec[];
  readonly shared: SharedProviders;
  /** One for all conversations, each of which has a view of it. */
  readonly toolbox: Toolbox;
  viewOf(conversation: string): ToolboxView;
}

/** Starts the servers, and connects to each of them once. */
export async function openSharedStage(): Promise<SharedStage> {
  const { servers: started, stop } = await startHttpServers(plan);
  const servers = started.map((server): ServerSpec => {
    if (server.type !== "http") throw new TypeError("not over HTTP");
    return { id: server.id, sharing: "shared", type: "http", url: server.url };
  });
  const connector = createConnector();
  const names = createNameBook();
  const shared = createSharedProviders({
    servers,
    async make(request) {
      const provider = createProvider({ connector, servers: request.servers, names });
      await provider.init();
      return provider;
    },
  });
  const lease = await shared.lease({ conversation: "all" });
  const toolbox = createToolbox({ providers: lease.providers });
  return {
    servers,
    shared,
    toolbox,
    viewOf: (conversation) => toolbox.view({ context: { conversation, principal: `of ${conversation}` } }),
    async [Symbol.asyncDispose]() {
      lease.release();
      toolbox.close();
      await shared.shutdownAll();
      stop();
    },
  };
}

/** The tool of one of the servers that gives back its text. */
export function echoOf(index: number): string {
  return `mcp_s${index % plan.count}_echo`;
}
