import { HostsideError, type JsonObject, type JsonValue } from "@hostside/core";
import { createProvider } from "@hostside/provider";
import { appOf, readApp, type App } from "@hostside/provider/resources";
import { describe, expect, it } from "vitest";
import { createWorld, type World } from "./scripted-world.ts";

const uri = "ui://a/page";
const target = { serverId: "a", uri };
const mimeType = "text/html;profile=mcp-app";

function serving(...contents: readonly JsonValue[]): World {
  const world = createWorld();
  world.server("a").answer = ({ method }) =>
    method === "resources/list"
      ? { resources: [{ uri, name: "page", _meta: { ui: { prefersBorder: true, domain: "listed.example" } } }] }
      : { contents };
  return world;
}

async function appWith(ui: JsonValue): Promise<App> {
  const { resources } = serving({ uri, mimeType, text: "<p>", _meta: { ui } });
  return await readApp(resources, target);
}

describe("readApp()", () => {
  it("gives the host page, origin, policy and permissions, as data", async () => {
    const csp = {
      connectDomains: ["https://api.example.com", "wss://*.example.com:8443/"],
      resourceDomains: ["http://localhost:*"],
    };
    const ui = { csp, permissions: { camera: {}, clipboardWrite: {} }, domain: "a9.example.com", prefersBorder: false };
    expect(await appWith(ui)).toEqual({
      ...target,
      html: "<p>",
      mimeType,
      csp: { ...csp, frameDomains: [], baseUriDomains: [] },
      permissions: ["camera", "clipboardWrite"],
      domain: "a9.example.com",
      prefersBorder: false,
      problems: [],
    });
  });

  it.each([
    "https://a.com; script-src *",
    "https://a.com 'unsafe-eval'",
    "https://a.com\r\nSet-Cookie: x",
    "https://a.com,https://b.com",
    "javascript:alert(1)",
    "data:",
    "*",
    "https://*",
    "https://a.com/path",
    "a.com",
    `https://${"a.".repeat(200)}com`,
    7,
    null,
  ])("leaves out of a policy what is no origin, and says so: %j", async (domain) => {
    const app = await appWith({ csp: { connectDomains: ["https://ok.com", domain] } });
    expect(app.csp.connectDomains).toEqual(["https://ok.com"]);
    expect(app.problems).toEqual([expect.stringContaining("csp.connectDomains")]);
  });

  it("is bounded and never fails for what stands in _meta", async () => {
    const many = Array.from({ length: 1000 }, (_, index) => `x${index} y`);
    const app = await appWith({
      csp: { connectDomains: many, frameDomains: "https://a.com", __proto__: ["https://a.com"] },
      permissions: Object.fromEntries(many.map((name) => [name, {}])),
      domain: "a b",
      prefersBorder: "yes",
    });
    expect(app).toMatchObject({ csp: { connectDomains: [], frameDomains: [] }, permissions: [] });
    expect(app.problems).toHaveLength(100);
    expect(app.domain).toBeUndefined();
    for (const ui of [7, null, [], { csp: 7, permissions: [], domain: {} }]) {
      expect((await appWith(ui)).csp.connectDomains).toEqual([]);
    }
  });

  it("goes by the entry of the list where the content says nothing, and by the content alone where it does", async () => {
    const { resources } = serving({ uri, mimeType, text: "<p>" });
    expect(await readApp(resources, target)).not.toHaveProperty("domain");
    await resources.list();
    expect(await readApp(resources, target)).toMatchObject({ domain: "listed.example", prefersBorder: true });
    const own = serving({ uri, mimeType, text: "<p>", _meta: { ui: {} } });
    await own.resources.list();
    expect(await readApp(own.resources, target)).not.toHaveProperty("domain");
  });

  it("decodes a page that came as bytes, and reports what is odd about it", async () => {
    const { resources } = serving(
      { uri: "ui://a/other", text: "no" },
      { uri, blob: Buffer.from("<p>é").toString("base64"), mimeType: "text/html" },
    );
    const app = await readApp(resources, target);
    expect(app.html).toBe("<p>é");
    expect(app.problems).toEqual([
      "1 more pieces of content than the page",
      'its type is "text/html", not text/html;profile=mcp-app',
    ]);
  });

  it.each<[string, readonly JsonValue[]]>([
    ["nothing", []],
    ["no base64", [{ uri, blob: "%%%" }]],
    ["no UTF-8", [{ uri, blob: "/w==" }]],
  ])("refuses a page that is %s", async (_what, contents) => {
    const { resources } = serving(...contents);
    await expect(readApp(resources, target)).rejects.toMatchObject({ code: "protocol_error", serverId: "a" });
  });

  it("reads nothing of another scheme, and nothing that the host does not allow", async () => {
    const { resources, server } = createWorld({ allowedUris: ["note"] });
    const note = { serverId: "a", uri: "note://one" };
    await expect(readApp(resources, note)).rejects.toMatchObject({ code: "invalid_arguments", outcome: "not-sent" });
    await expect(readApp(resources, target)).rejects.toMatchObject({ code: "not_allowed" });
    expect(server("a").asked).toEqual([]);
  });
});

describe("appOf()", () => {
  const origin = { serverId: "a", toolName: "show", qualifiedName: "mcp::a::show" };

  it.each<[JsonValue, string | undefined]>([
    [{ ui: { resourceUri: uri } }, uri],
    [{ "ui/resourceUri": uri }, uri],
    [{ ui: { resourceUri: uri }, "ui/resourceUri": "ui://old" }, uri],
    [{ ui: { visibility: ["app"] } }, undefined],
    [{ ui: { resourceUri: "https://a.com" } }, undefined],
    [{ ui: { resourceUri: `ui:${"x".repeat(9000)}` } }, undefined],
    [{ ui: { resourceUri: 7 } }, undefined],
    [{ ui: "text" }, undefined],
    ["text", undefined],
  ])("reads what a tool names: %j", (meta, named) => {
    const app = appOf({ entry: { name: "show", _meta: meta }, origin });
    expect(app).toEqual(named === undefined ? undefined : { serverId: "a", uri: named });
  });

  it("finds the app of a tool that a provider offers; a tool for apps alone is callable through the seam", async () => {
    const seen: string[] = [];
    const called: JsonObject[] = [];
    const inputSchema = { type: "object" };
    const provider = createProvider({
      servers: [{ id: "a", type: "stdio", command: "a" }],
      async requestSeam({ call }, send) {
        if (call !== undefined) seen.push(call.definition.name);
        if (call?.args["no"] === true) throw new HostsideError("no", { code: "call_refused" });
        return send();
      },
      connector: {
        connect: async () => ({
          server: { era: "modern", protocolVersion: "2026-07-28", capabilities: { tools: {} } },
          listTools: async () => ({
            tools: [
              { name: "show", inputSchema, meta: { ui: { resourceUri: uri } } },
              { name: "move", inputSchema, meta: { ui: { visibility: ["app"] } } },
              { name: "think", inputSchema, meta: { ui: { visibility: ["model"] } } },
              { name: "nobody", inputSchema, meta: { ui: { visibility: [] } } },
            ],
            dropped: [],
            pages: 1,
          }),
          callTool: async (name, args) => {
            called.push({ name, args });
            return { content: [] };
          },
          request: async () => ({}),
          notify: async () => undefined,
          subscribeResource: () => Promise.reject(new Error("no")),
          close: async () => undefined,
        }),
      },
    });
    await provider.init();
    expect(provider.tools().map(({ name }) => name)).toEqual(["mcp_a_show", "mcp_a_think"]);
    expect(provider.tools().map((definition) => appOf(definition))).toEqual([target, undefined]);
    expect(provider.appTools("a").map(({ name }) => name)).toEqual(["mcp::a::move", "mcp_a_show"]);
    expect(provider.appTools("b")).toEqual([]);
    const connection = await provider.connection("a");
    await connection.callTool("move", { to: 1 });
    await expect(connection.callTool("move", { no: true })).rejects.toMatchObject({ code: "call_refused" });
    await expect(connection.callTool("nobody", {})).rejects.toMatchObject({ code: "tool_removed" });
    await expect(provider.call("mcp::a::move")).rejects.toMatchObject({ code: "unknown_tool" });
    expect(seen).toEqual(["mcp::a::move", "mcp::a::move"]);
    expect(called).toEqual([{ name: "move", args: { to: 1 } }]);
    await provider.close();
    expect(provider.appTools("a")).toEqual([]);
  });
});
