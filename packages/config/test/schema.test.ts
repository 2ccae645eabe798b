import { readFileSync } from "node:fs";
import { defaultLimits, defaultTimeouts, type EntrySettings, type ToolOverride } from "@hostside/core";
import type { HttpEntry, StdioEntry } from "@hostside/core";
import type { Fields } from "@hostside/core/implement";
import {
  readConfig,
  type ConfigInput,
  type HostSettings,
  type ServeSettings,
  type ServerExtras,
} from "@hostside/config";
import type { ConfigImport } from "../src/drafts/configured-server.ts";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";

const schema = JSON.parse(readFileSync(new URL("../hostside.schema.json", import.meta.url), "utf8"));
const validate = new Ajv({ strict: true, allErrors: true }).compile(schema);
const stdio = { type: "stdio", command: "server" };

// A member that is added to a type does not compile here until the schema has it.
const specFields: Fields<EntrySettings> = {
  title: true,
  era: true,
  allow: true,
  deny: true,
  tools: true,
  labels: true,
  trustAnnotations: true,
  disabled: true,
  required: true,
  startup: true,
  elicitation: true,
  sharing: true,
  concurrency: true,
  timeouts: true,
  limits: true,
};
const extraFields: Fields<Omit<ServerExtras, "breaker">> = {
  envFile: true,
  oauth: true,
  approval: true,
  passContext: true,
};
const oauthFields: Fields<Required<ServerExtras>["oauth"] & object> = {
  flow: true,
  clientId: true,
  clientSecret: true,
  scopes: true,
  callbackPort: true,
  redirectUri: true,
  metadataUrl: true,
  resource: true,
};
const stdioFields: Fields<Omit<StdioEntry, "url" | keyof EntrySettings>> = {
  type: true,
  command: true,
  args: true,
  env: true,
  inheritEnv: true,
  cwd: true,
};
const httpFields: Fields<Omit<HttpEntry, "command" | keyof EntrySettings>> = {
  type: true,
  url: true,
  headers: true,
  bearerToken: true,
  auth: true,
  mode: true,
  tls: true,
};
const toolFields: Fields<ToolOverride> = { effect: true, requireApproval: true, title: true, description: true };
const settingFields: Fields<Omit<HostSettings, "imports" | "inputs" | "serve" | "projectServe">> = {
  enabled: true,
  resourceCache: true,
  allowedResourceUris: true,
  strictRootPaths: true,
  passContext: true,
  watch: true,
  allowServers: true,
  denyServers: true,
};
const serveFields: Fields<ServeSettings> = {
  expose: true,
  tools: true,
  readOnly: true,
  requireApproval: true,
  redact: true,
};
const inputFields: Fields<ConfigInput> = {
  id: true,
  type: true,
  description: true,
  default: true,
  password: true,
  options: true,
};
const importFields: Fields<ConfigImport> = { from: true, dialect: true };

describe("hostside.schema.json", () => {
  const { definitions, properties } = schema;

  it.each([
    ["a server", definitions.server.properties, { ...stdioFields, ...httpFields, ...specFields, ...extraFields }],
    ["oauth", definitions.server.properties.oauth.properties, oauthFields],
    ["a tool", definitions.tool.properties, toolFields],
    ["timeouts", definitions.timeouts.properties, { ...defaultTimeouts, callIdleMs: 1 }],
    ["limits", definitions.limits.properties, defaultLimits],
    ["settings", definitions.settings.properties, settingFields],
    ["serving", definitions.serve.properties, serveFields],
    ["an input", definitions.input.properties, inputFields],
    ["an import", properties.imports.items.anyOf[1].properties, importFields],
  ])("has exactly the members of %s that the types have", (_, members, fields) => {
    expect(new Set(Object.keys(members))).toEqual(new Set(Object.keys(fields)));
  });

  it.each([
    ["nothing", {}],
    ["a server", { servers: { a: { ...stdio, timeouts: { callMs: 5 }, tools: { "x.y": { effect: "pure" } } } } }],
    [
      "a server over SSE, as mcpServers files have it",
      { servers: { a: { type: "sse", url: "https://a.example.com" } } },
    ],
    ["a server over HTTP", { servers: { a: { url: "https://a.example.com", auth: "oauth" } } }],
    ["imports", { imports: ["cursor", { from: "./mcp.json", dialect: "mcp-json" }] }],
    ["inputs", { inputs: [{ id: "key", type: "promptString", password: true }] }],
    ["settings", { settings: { watch: { quietMs: 500 }, resourceCache: { ttlMs: 1 }, denyServers: ["a"] } }],
    ["serving", { serve: { expose: "search", tools: ["files/*", "github"], readOnly: true } }],
  ])("allows what is read without an error: %s", (_, config) => {
    expect(validate(config), JSON.stringify(validate.errors)).toBe(true);
    expect(readConfig(config, { dialect: "hostside" }).problems).toEqual([]);
  });

  it.each([
    ["an unknown member", { server: {} }],
    ["neither a command nor a URL", { servers: { a: {} } }],
    ["a command and a URL", { servers: { a: { command: "x", url: "https://a.example.com" } } }],
    ["headers of a program", { servers: { a: { command: "x", headers: {} } } }],
    ["a transport of its own", { servers: { a: { transport: stdio } } }],
    ["a number in env", { servers: { a: { ...stdio, env: { PORT: 1 } } } }],
    ["an unknown era", { servers: { a: { ...stdio, era: "new" } } }],
    ["a timeout of nothing", { servers: { a: { ...stdio, timeouts: { callMs: 0 } } } }],
    ["an exposure that there is not", { serve: { expose: "some" } }],
    ["an unknown word about serving", { serve: { tool: ["files"] } }],
    ["an unknown setting", { settings: { denyServer: ["a"] } }],
    ["an input without an id", { inputs: [{ type: "promptString" }] }],
    ["an import of nothing", { imports: [""] }],
  ])("refuses what is read with an error: %s", (_, config) => {
    expect(validate(config)).toBe(false);
    expect(readConfig(config, { dialect: "hostside" }).problems.some(({ severity }) => severity === "error")).toBe(
      true,
    );
  });
});
