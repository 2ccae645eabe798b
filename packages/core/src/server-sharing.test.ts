import { expect, it } from "vitest";
import { credentialFieldsOf, sharingOf } from "./server-credentials.ts";
import type { ServerSpec, ServerEntry } from "./server-spec.ts";

const http = (more: object = {}, query = ""): ServerEntry => ({
  type: "http",
  url: `https://a.test/mcp${query}`,
  ...more,
});
const stdio = (more: object = {}): ServerEntry => ({ type: "stdio", command: "server", ...more });

it.each<{ readonly what: string; readonly transport: ServerEntry; readonly sharing: string }>([
  { what: "a program", transport: stdio({ env: { LANG: "C" }, args: ["--port", "1"] }), sharing: "shared" },
  {
    what: "a program with a token in a variable",
    transport: stdio({ env: { GITHUB_TOKEN: "x" } }),
    sharing: "principal",
  },
  { what: "a program with a key as argument", transport: stdio({ args: ["--api-key", "x"] }), sharing: "principal" },
  {
    what: "a program with the password of a database in a variable that is called otherwise",
    transport: stdio({ env: { DATABASE_URL: "postgres://ada:pw@db.internal/acme" } }),
    sharing: "principal",
  },
  {
    what: "a program with the password of a database as argument",
    transport: stdio({ args: ["postgresql://ada:pw@db.internal/acme"] }),
    sharing: "principal",
  },
  {
    what: "a program with a user's name in a URL",
    transport: stdio({ args: ["--repository=ssh://git@git.internal/acme", "postgres://ada@db.internal/acme"] }),
    sharing: "shared",
  },
  { what: "a URL", transport: http({ headers: { "x-team": "a" } }), sharing: "shared" },
  { what: "a URL that is signed in to", transport: http({ auth: "oauth" }), sharing: "principal" },
  { what: "a URL with keys of the host's own", transport: http({ auth: "api-key" }), sharing: "principal" },
  { what: "a URL with a token", transport: http({ bearerToken: "t" }), sharing: "principal" },
  { what: "a URL with the key of a certificate", transport: http({ tls: { key: "k" } }), sharing: "principal" },
  { what: "a URL with a blank token", transport: http({ bearerToken: " " }), sharing: "shared" },
  {
    what: "a URL with a header that carries a key",
    transport: http({ headers: { "X-API-Key": "t" } }),
    sharing: "principal",
  },
  { what: "a URL with a key in it", transport: http({}, "?api_key=t"), sharing: "principal" },
  {
    what: "a URL with a long key in its path",
    transport: { type: "http", url: "https://a.test/s/NmIxOTk2YzQtZTk3/mcp" },
    sharing: "principal",
  },
  {
    what: "a URL with the UUID of a tenant in its path",
    transport: { type: "http", url: "https://a.test/3f2504e0-4f89-11d3-9a0c-0305e82c3301/mcp" },
    sharing: "shared",
  },
  {
    what: "a URL of a document in a header",
    transport: http({ headers: { "x-doc": "https://docs.test/d/1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms" } }),
    sharing: "shared",
  },
  {
    what: "a program with URLs of documents and tenants",
    transport: stdio({
      command: "/opt/tools/a3f9c1d27b604e58912c/server",
      env: { SHEET: "https://docs.test/d/1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms/edit" },
      args: [
        "--tenant=https://login.test/3f2504e0-4f89-11d3-9a0c-0305e82c3301",
        "https://docs.test/d/1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms",
      ],
    }),
    sharing: "shared",
  },
  {
    what: "a program whose name looks like a key",
    transport: stdio({ command: "mcpserver20261128release0042 --verbose" }),
    sharing: "shared",
  },
  { what: "a server in this process", transport: { type: "memory", serve: () => undefined }, sharing: "shared" },
])("of $what is $sharing by default, and what the spec says", ({ transport, sharing }) => {
  const spec: ServerSpec = { id: "a", ...transport };
  expect(sharingOf(spec)).toBe(sharing);
  expect(sharingOf({ ...spec, sharing: "conversation" })).toBe("conversation");
  expect(sharingOf({ ...spec, sharing: "shared" })).toBe("shared");
});

it("names the fields that hold a credential, and nothing of what is in them", () => {
  const fieldsOf = (entry: ServerEntry): readonly string[] => credentialFieldsOf(entry);
  expect(fieldsOf(stdio({ env: { GITHUB_TOKEN: "x", LANG: "C" }, args: ["--api-key", "x", "-v"] }))).toEqual([
    'env["GITHUB_TOKEN"]',
    "args[1]",
  ]);
  expect(
    fieldsOf(
      stdio({
        command: "server --token=x",
        env: {
          DSN: "Server=db;User Id=ada;Password=pw",
          MODE: "a=b;c=d",
          HEADERS: '{"Authorization":"x"}',
          ALL: "Bearer x",
        },
        args: ["--url=redis://:pw@cache.internal", "--config", '{"apiKey":"x"}', "https://a.test?page=1", "Bearer x"],
      }),
    ),
  ).toEqual(["command", 'env["DSN"]', 'env["HEADERS"]', 'env["ALL"]', "args[0]", "args[2]", "args[4]"]);
  expect(fieldsOf(http({ headers: { "x-forwarded": "Bearer x", "x-team": "bearer" } }))).toEqual([
    'headers["x-forwarded"]',
  ]);
  expect(fieldsOf(http({ bearerToken: "t", headers: { Authorization: "t", "x-team": "a" } }, "?token=t"))).toEqual([
    "bearerToken",
    'headers["Authorization"]',
    "url",
  ]);
  expect(fieldsOf({ type: "http", url: "https://user:pass@a.test/mcp" })).toEqual(["url"]);
  expect(fieldsOf(http({ auth: "oauth" }))).toEqual([]);
});
