import { withConnector, withFetch, withVerbs, type BrokenHost } from "./broken-host.ts";

/** Hosts that trust their servers. */
export const brokenTrust: readonly BrokenHost[] = [
  {
    id: "follows-redirects",
    wrong: "follows redirects with all its headers",
    venue: "http",
    make: withFetch(async (url, init) => {
      const response = await fetch(url, { ...init, redirect: "manual" });
      const location = response.headers.get("location");
      return location === null ? response : fetch(location, init);
    }),
    fails: ["hostile/redirect"],
  },
  {
    id: "tells-secrets",
    wrong: "writes the configuration of servers into its events",
    venue: "http",
    make: withVerbs(({ init }) => {
      let events: string[] = [];
      return {
        init: (params) => {
          events = params.servers.map((server) => JSON.stringify(server));
          return init(params);
        },
        events: () => ({ events }),
      };
    }),
    fails: ["hostile/echoed-credentials"],
  },
  {
    id: "offers-roots",
    wrong: "offers roots and sampling to servers",
    venue: "http",
    make: withFetch((url, init) => {
      const body = typeof init?.body === "string" ? init.body : undefined;
      const more = body?.replace('"capabilities":{', '"capabilities":{"roots":{},"sampling":{}');
      return fetch(url, more === undefined ? init : { ...init, body: more });
    }),
    fails: ["hostile/nothing-deprecated"],
  },
  {
    id: "gives-up-at-a-schema",
    wrong: "fails a whole listing at one schema that it cannot resolve",
    venue: "http",
    make: withConnector(() => ({
      connection: (connection) => ({
        listTools: async (options) => {
          const listing = await connection.listTools(options);
          if (/"\$ref":"http/.test(JSON.stringify(listing.tools))) throw new Error("a reference cannot be resolved");
          return listing;
        },
      }),
    })),
    fails: ["hostile/unresolvable-schema"],
  },
  {
    id: "fetches-schemas",
    wrong: "fetches what schemas refer to",
    venue: "http",
    make: withConnector(() => ({
      connection: (connection) => ({
        listTools: async (options) => {
          const listing = await connection.listTools(options);
          const urls = JSON.stringify(listing.tools.map(({ inputSchema }) => inputSchema)).match(/http:[^"]+/g) ?? [];
          await Promise.all(urls.map((url) => fetch(url)));
          return listing;
        },
      }),
    })),
    fails: ["hostile/remote-schema-reference"],
  },
];
