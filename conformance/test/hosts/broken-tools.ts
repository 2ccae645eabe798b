import type { Connection } from "@hostside/core";
import type { DriverTool } from "../../src/host/driver-protocol.ts";
import type { DriverHost } from "../../src/host/serve-driver.ts";
import { withConnector, withVerbs, type BrokenHost } from "./broken-host.ts";

/** Names that a host makes without looking at the others; the last tool of a name wins. */
function naiveNames(nameOf: (tool: DriverTool) => string): () => DriverHost {
  return withVerbs(({ snapshot, call }) => {
    const routes = async (): Promise<Map<string, DriverTool>> => {
      const { tools } = await snapshot({});
      return new Map(tools.map((tool) => [nameOf(tool), tool]));
    };
    return {
      snapshot: async () => ({
        ...(await snapshot({})),
        tools: Array.from(await routes(), ([name, tool]) => ({ ...tool, name })),
      }),
      call: async (params) => call({ ...params, name: (await routes()).get(params.name)?.name ?? "" }),
    };
  });
}

function firstPageOnly(connection: Connection): Partial<Connection> {
  return {
    listTools: async (options) => {
      const listing = await connection.listTools(options);
      const page = JSON.stringify(await connection.request("tools/list", {}));
      return { ...listing, tools: listing.tools.filter(({ name }) => page.includes(JSON.stringify(name))) };
    },
  };
}

/** Hosts that are wrong about listings, names and registrations. */
export const brokenTools: readonly BrokenHost[] = [
  {
    id: "first-page-only",
    wrong: "ignores nextCursor",
    venue: "http",
    make: withConnector(() => ({ connection: firstPageOnly })),
    fails: ["consistent/all-pages", "consistent/change-during-listing"],
  },
  {
    id: "all-or-nothing-list",
    wrong: "refuses a listing because of one malformed tool",
    venue: "http",
    make: withConnector(() => ({
      connection: (connection) => ({
        listTools: async (options) => {
          const listing = await connection.listTools(options);
          if (listing.dropped.length > 0 || listing.withoutSchema !== undefined)
            throw new Error("the listing is malformed");
          return listing;
        },
      }),
    })),
    fails: ["consistent/malformed-tool", "consistent/same-name-twice", "hostile/deep-schema", "hostile/hostile-names"],
  },
  {
    id: "ignores-changes",
    wrong: "does not act on list_changed",
    venue: "http",
    make: withConnector(() => ({ hooks: (hooks) => ({ ...hooks, onToolsChanged: () => {} }) })),
    fails: ["consistent/change-during-listing", "consistent/change-storm", "consistent/list-changed"],
  },
  {
    id: "lists-per-change",
    wrong: "lists once for each list_changed",
    venue: "http",
    make: withConnector(() => {
      let connection: Connection | undefined;
      return {
        connection: (made) => {
          connection = made;
          return {};
        },
        hooks: (hooks) => ({
          ...hooks,
          onToolsChanged: () => {
            void connection?.listTools().catch(() => {});
            hooks.onToolsChanged();
          },
        }),
      };
    }),
    fails: ["consistent/change-during-listing", "consistent/change-storm"],
  },
  {
    id: "empties-on-failure",
    wrong: "shows no tools after a refresh that failed",
    venue: "http",
    make: withVerbs(({ init, refresh, snapshot }) => {
      let lost = false;
      return {
        init: (params) => {
          lost = false;
          return init(params);
        },
        refresh: async () => {
          lost = true;
          await refresh({});
          lost = false;
          return {};
        },
        snapshot: async () => (lost ? { tools: [], servers: [] } : snapshot({})),
      };
    }),
    fails: ["consistent/failed-refresh-keeps-tools"],
  },
  {
    id: "adds-anyway",
    wrong: "tells that a server was added, whatever happened",
    venue: "http",
    make: withVerbs(({ addServer }) => ({
      addServer: async (params) => {
        try {
          return await addServer(params);
        } catch {
          return {};
        }
      },
    })),
    fails: ["consistent/failed-add-leaves-nothing"],
  },
  {
    id: "keeps-removed",
    wrong: "keeps a server that was removed",
    venue: "http",
    make: withVerbs(() => ({ removeServer: () => ({}) })),
    fails: ["consistent/remove-server"],
  },
  {
    id: "overwrites-names",
    wrong: "lets the last tool of a local name win",
    venue: "http",
    make: naiveNames(({ serverId, remoteName }) => `${serverId}_${remoteName}`.replaceAll(/\W/g, "_").slice(0, 64)),
    fails: [
      "consistent/add-at-run-time",
      "consistent/long-names",
      "consistent/name-collisions",
      "consistent/order-independence",
    ],
  },
  {
    id: "long-names",
    wrong: "does not bound the length of names",
    venue: "http",
    make: naiveNames(({ name, serverId, remoteName }) =>
      remoteName.length > 60 ? `${serverId}_${remoteName}`.replaceAll(/\W/g, "_") : name,
    ),
    fails: ["consistent/long-names"],
  },
  {
    id: "remote-names",
    wrong: "offers the names of the servers as they are",
    venue: "http",
    make: naiveNames(({ serverId, remoteName }) => `${serverId}/${remoteName}`),
    fails: ["consistent/long-names", "consistent/name-collisions", "hostile/hostile-names"],
  },
  {
    id: "tidies-names",
    wrong: "sends remote names normalised",
    venue: "http",
    make: withConnector(() => ({
      connection: (right) => ({
        callTool: (name, args, options) => right.callTool(name.normalize("NFC"), args, options),
      }),
    })),
    fails: ["consistent/remote-names-exact"],
  },
  {
    id: "object-keys",
    wrong: "keeps tools in a plain object, by their remote names",
    venue: "http",
    make: withVerbs(({ snapshot }) => ({
      snapshot: async () => {
        const { tools, servers } = await snapshot({});
        const byServer: Record<string, Record<string, DriverTool>> = {};
        for (const tool of tools) (byServer[tool.serverId] ??= {})[tool.remoteName] = tool;
        return { tools: Object.values(byServer).flatMap((each) => Object.values(each)), servers };
      },
    })),
    fails: ["hostile/prototype-names"],
  },
];
