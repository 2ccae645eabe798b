import { expect, it } from "vitest";
import { credentialFieldsOf, sharingOf } from "./server-sharing.ts";
import type { ServerSpec, TransportSpec } from "./server-spec.ts";

const http = (more: object = {}, query = ""): TransportSpec => ({
  kind: "http",
  url: `https://a.test/mcp${query}`,
  ...more,
});
const stdio = (more: object = {}): TransportSpec => ({ kind: "stdio", command: "server", ...more });

it.each<{ readonly what: string; readonly transport: TransportSpec; readonly sharing: string }>([
  { what: "a program", transport: stdio({ env: { LANG: "C" }, args: ["--port", "1"] }), sharing: "shared" },
  {
    what: "a program with a token in a variable",
    transport: stdio({ env: { GITHUB_TOKEN: "x" } }),
    sharing: "principal",
  },
  { what: "a program with a key as argument", transport: stdio({ args: ["--api-key", "x"] }), sharing: "principal" },
  { what: "a URL", transport: http({ headers: { "x-team": "a" } }), sharing: "shared" },
  { what: "a URL that is signed in to", transport: http({ auth: "oauth" }), sharing: "principal" },
  { what: "a URL with keys of the host's own", transport: http({ auth: "api-key" }), sharing: "principal" },
  { what: "a URL with a token", transport: http({ bearerToken: "t" }), sharing: "principal" },
  { what: "a URL with a blank token", transport: http({ bearerToken: " " }), sharing: "shared" },
  {
    what: "a URL with a header that carries a key",
    transport: http({ headers: { "X-API-Key": "t" } }),
    sharing: "principal",
  },
  { what: "a URL with a key in it", transport: http({}, "?api_key=t"), sharing: "principal" },
  { what: "a server in this process", transport: { kind: "memory", serve: () => undefined }, sharing: "shared" },
])("of $what is $sharing by default, and what the spec says", ({ transport, sharing }) => {
  const spec: ServerSpec = { id: "a", transport };
  expect(sharingOf(spec)).toBe(sharing);
  expect(sharingOf({ ...spec, sharing: "conversation" })).toBe("conversation");
  expect(sharingOf({ ...spec, sharing: "shared" })).toBe("shared");
});

it("names the fields that hold a credential, and nothing of what is in them", () => {
  const fieldsOf = (transport: TransportSpec): readonly string[] => credentialFieldsOf({ id: "a", transport });
  expect(fieldsOf(stdio({ env: { GITHUB_TOKEN: "x", LANG: "C" }, args: ["--api-key", "x", "-v"] }))).toEqual([
    'transport.env["GITHUB_TOKEN"]',
    "transport.args[1]",
  ]);
  expect(fieldsOf(http({ bearerToken: "t", headers: { Authorization: "t", "x-team": "a" } }, "?token=t"))).toEqual([
    "transport.bearerToken",
    'transport.headers["Authorization"]',
    "transport.url",
  ]);
  expect(fieldsOf({ kind: "http", url: "https://user:pass@a.test/mcp" })).toEqual(["transport.url"]);
  expect(fieldsOf(http({ auth: "oauth" }))).toEqual([]);
});
