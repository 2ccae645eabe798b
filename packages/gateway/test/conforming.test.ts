import { ElicitRequestSchema, ProgressNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { specTypeSchemas } from "@modelcontextprotocol/client";
import type { Diagnostic, JsonObject } from "@hostside/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { connectSession } from "./raw-client.ts";
import { connectNew, connectOld, pipeTo, type Host } from "./sdk-clients.ts";
import * as arbitrary from "./odd-definitions.ts";
import { scriptedServer, type Script } from "./scripted-upstream.ts";
import { serveTools, tool } from "./static-world.ts";
import { openWorld, type World, type WorldOptions } from "./upstream.ts";

const runs = { seed: 30, numRuns: 15 };
const neighbour = { name: "fine", inputSchema: { type: "object" } };
const oddName = "mcp_odd_odd";
const exposures = ["all", "groups", "search"] as const;

function open(script: Script, gateway: WorldOptions["gateway"] = {}): Promise<World> {
  const fine = scriptedServer("fine", {
    "tools/list": () => ({ tools: [neighbour] }),
    "tools/call": () => ({ content: [] }),
  });
  return openWorld({ servers: [scriptedServer("odd", script), fine], withResources: true, gateway });
}

const connect: Readonly<Record<string, (world: World) => Promise<Host>>> = {
  "SDK 1": ({ gateway }) => connectOld(pipeTo(gateway)),
  "SDK 2, legacy": ({ gateway }) => connectNew("legacy", pipeTo(gateway)),
  "SDK 2, modern": ({ gateway }) => connectNew("modern", pipeTo(gateway)),
};

const odd: readonly (readonly [what: string, tool: JsonObject])[] = [
  ["a property that is true", { inputSchema: { type: "object", properties: { raw: true, no: false } } }],
  ["no type", { inputSchema: { properties: { a: {} } } }],
  [
    "null for each member",
    {
      title: null,
      description: null,
      annotations: null,
      icons: null,
      _meta: null,
      execution: null,
      outputSchema: null,
    },
  ],
  ["hints that are null", { annotations: { readOnlyHint: null, title: null } }],
  ["null in its schema", { inputSchema: { type: "object", properties: null, required: null } }],
  ["sizes that are a text, and a list as _meta", { icons: [{ src: "data:,", sizes: "48x48" }], _meta: [] }],
  ["a boolean in its output schema", { outputSchema: { type: "object", properties: { result: true } } }],
  [
    "an output schema that no validator compiles",
    { outputSchema: { type: "object", properties: { a: { pattern: "(" } } } },
  ],
  [
    "an output schema with a reference to nothing",
    { outputSchema: { type: "object", properties: { a: { $ref: "#/$defs/a" } } } },
  ],
  ["an output schema with an escaped reference", referTo("#/$defs/a%25b", { $defs: { "a%25b": {} } })],
  ["an output schema that refers into data", referTo("#/default", { default: { pattern: "(" } })],
  ["an output schema that refers to a map", referTo("#/properties", { properties: { type: { type: "string" } } })],
  [
    "an output schema whose references go in a circle",
    referTo("#/$defs/a", { $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } }),
  ],
  ["an output schema that is itself", { outputSchema: { type: "object", allOf: [{ $ref: "#" }] } }],
  ["an output schema with a chain of 400 references", referTo("#/$defs/d0", { $defs: chainOf(400) })],
  [
    "half characters",
    { description: "a\uD83D b", inputSchema: { type: "object", properties: { "a\uD83D": { enum: ["\uDC00"] } } } },
  ],
];

function referTo($ref: string, { properties, ...members }: JsonObject): JsonObject {
  return { outputSchema: { type: "object", ...members, properties: { ...(properties as JsonObject), ref: { $ref } } } };
}

function chainOf(length: number): JsonObject {
  const links = Array.from({ length }, (_, at) => {
    const next = at + 1 < length ? { $ref: `#/$defs/d${at + 1}` } : {};
    return [`d${at}`, { properties: { a: next, b: next } }] as const;
  });
  return Object.fromEntries(links);
}

describe("what one server lists", () => {
  it.each(odd)("costs no other its tools: %s", async (_what, members) => {
    const tool = { name: "odd", inputSchema: { type: "object" }, ...members };
    await using world = await open({
      "tools/list": () => ({ tools: [tool] }),
      "tools/call": () => ({ content: [], structuredContent: {} }),
    });
    for (const one of Object.values(connect)) {
      await using host = await one(world);
      const tools = await host.list();
      expect(tools.map(({ name }) => name)).toEqual(["mcp_fine_fine", oddName]);
      expect(JSON.stringify(tools)).not.toMatch(/\\ud[89a-f]/);
      await host.call(oddName);
    }
  });

  // The official SDK writes the last kind for an object of zod 3 that is there twice.
  it.each(["$defs", "definitions", "properties"])("keeps an output schema that refers to its own %s", async (group) => {
    const outputSchema = {
      type: "object",
      properties: { a: { $ref: `#/${group}/A` }, b: { items: { $ref: `#/${group}/B` } } },
    };
    const named = { A: { type: "string" }, B: { type: "object", properties: { a: { $ref: `#/${group}/A` } } } };
    Object.assign(outputSchema, { [group]: group === "properties" ? { ...outputSchema.properties, ...named } : named });
    await using world = await open({
      "tools/list": () => ({ tools: [{ name: "odd", inputSchema: { type: "object" }, outputSchema }] }),
      "tools/call": () => ({ content: [], structuredContent: { a: "x", b: [{ a: "y" }] } }),
    });
    for (const one of Object.values(connect)) {
      await using host = await one(world);
      expect((await host.list()).find(({ name }) => name === oddName)).toMatchObject({ outputSchema });
      await host.call(oddName);
    }
  });

  const nested = (depth: number): JsonObject => (depth === 0 ? {} : { a: nested(depth - 1) });
  it.each<readonly [string, JsonObject, JsonObject]>([
    ["a slow pattern", { properties: { a: { pattern: "^(a+)+$" } } }, { a: `${"a".repeat(40)}!` }],
    [
      "a slow pattern of names",
      { patternProperties: { "^(a|a)*$": { type: "string" } } },
      { [`${"a".repeat(40)}!`]: "" },
    ],
    [
      "what is tried twice on each level",
      { properties: { a: { anyOf: [{ $ref: "#" }, { $ref: "#" }] } }, required: ["z"] },
      nested(40),
    ],
    [
      "unique items",
      { properties: { a: { uniqueItems: true } } },
      { a: Array.from({ length: 40_000 }, (_, at) => ({ at })) },
    ],
  ])("keeps no client busy with its output schema: %s", async (_what, schema, structuredContent) => {
    const tool = { name: "odd", inputSchema: { type: "object" }, outputSchema: { type: "object", ...schema } };
    await using world = await open({
      "tools/list": () => ({ tools: [tool] }),
      "tools/call": () => ({ content: [], structuredContent }),
    });
    for (const one of Object.values(connect)) {
      await using host = await one(world);
      await host.list();
      expect(await host.call(oddName)).toMatchObject({ structuredContent });
    }
  });

  it.each(exposures)("is accepted by official clients, whatever it is, with expose: %s", async (expose) => {
    await fc.assert(
      fc.asyncProperty(fc.array(arbitrary.tool, { minLength: 1, maxLength: 2 }), async (tools) => {
        const listed = tools.map((tool, index) => ({ ...tool, name: index === 0 ? "odd" : `odd${index}` }));
        await using world = await open({ "tools/list": () => ({ tools: listed }) }, { expose });
        for (const one of Object.values(connect)) {
          await using host = await one(world);
          if (expose !== "all") await host.call("tools_select", { args: { tools: [oddName, "mcp_fine_fine"] } });
          const names = (await host.list()).map(({ name }) => name);
          // A client of 2026-07-28 is shown no tools for what it did.
          const isShown = expose === "all" || one !== connect["SDK 2, modern"];
          expect(names).toEqual(expect.arrayContaining(isShown ? [oddName, "mcp_fine_fine"] : []));
        }
      }),
      runs,
    );
  });

  it("leaves out a tool that cannot be sent, and says so", async () => {
    const diagnostics: Diagnostic[] = [];
    let deep: JsonObject = {};
    for (let level = 0; level < 20_000; level += 1) deep = { properties: { a: deep } };
    const definition = { name: "deep", description: "", inputSchema: { type: "object", ...deep } };
    const onDiagnostic = (one: Diagnostic): void => void diagnostics.push(one);
    const { gateway } = serveTools([tool("fine", () => "x"), { definition, run: () => "x" }], { onDiagnostic });
    await using host = await connectOld(pipeTo(gateway));
    expect((await host.list()).map(({ name }) => name)).toEqual(["fine"]);
    expect(diagnostics).toMatchObject([{ kind: "protocol-anomaly", toolName: "deep" }]);
    await gateway.close("test over");
  });
});

describe("what one server answers", () => {
  it("is accepted by official clients, whatever it is", async () => {
    await fc.assert(
      fc.asyncProperty(arbitrary.result, async (result) => {
        const tools = [{ name: "odd", inputSchema: { type: "object" } }];
        await using world = await open({ "tools/list": () => ({ tools }), "tools/call": () => result });
        for (const one of Object.values(connect)) {
          await using host = await one(world);
          const answer = await host.call(oddName);
          expect(JSON.stringify(answer)).not.toMatch(/\\ud[89a-f]/);
        }
      }),
      runs,
    );
  });

  it.each([
    ["structured content that is null", { content: [], structuredContent: null }, []],
    [
      "blocks that lack something",
      { content: [{ type: "text" }, { type: "image", data: "*" }] },
      [/"malformed:text"/, /"malformed:image"/],
    ],
    ["a kind that MCP does not have", { content: [{ type: "video" }] }, [/"video"/]],
    ["bytes that are no base64", { content: [{ type: "image", data: "*", mimeType: "image/png" }] }, [/base64/]],
    ["a bare text", { content: "hello" }, [/^hello$/]],
    ["a result of 2024-10-07", { toolResult: { a: 1 } }, [/^\{"a":1\}$/]],
    ["structured content that is a list", { structuredContent: [1], content: [] }, [/^\[1\]$/]],
  ] as const)("reaches the client as a result: %s", async (_what, result, texts) => {
    const tools = [{ name: "odd", inputSchema: { type: "object" } }];
    await using world = await open({ "tools/list": () => ({ tools }), "tools/call": () => result });
    await using host = await connectOld(pipeTo(world.gateway));
    const { content } = (await host.call(oddName)) as { readonly content: readonly { readonly text: string }[] };
    expect(content.map(({ text }) => text)).toEqual(texts.map((text) => expect.stringMatching(text)));
  });

  it.each([
    ["another type", { content: [{ type: "text", text: "done" }], structuredContent: { count: "1" } }],
    ["a failure", { content: [{ type: "text", text: "done" }], structuredContent: {}, isError: true }],
    ["no content beside it", { structuredContent: { count: 1.5 } }],
    ["no structured content", { content: [{ type: "text", text: "done" }] }],
  ] as const)(
    "reaches the client with its content where it does not fit the output schema: %s",
    async (_what, result) => {
      const outputSchema = { type: "object", properties: { count: { type: "integer" } }, required: ["count"] };
      const tools = [{ name: "odd", inputSchema: { type: "object" }, outputSchema }];
      await using world = await open({ "tools/list": () => ({ tools }), "tools/call": () => result });
      for (const one of Object.values(connect)) {
        await using host = await one(world);
        expect((await host.list()).find(({ name }) => name === oddName)).toHaveProperty("outputSchema");
        const answer = await host.call(oddName);
        expect(answer).toMatchObject({ isError: true });
        expect(answer).not.toHaveProperty("structuredContent");
        const text = JSON.stringify(answer);
        expect(text).toContain("The tool ran.");
        const said = "structuredContent" in result ? JSON.stringify(JSON.stringify(result.structuredContent)) : "done";
        expect(text).toContain(said);
        expect(text).toContain("content" in result ? "done" : said);
      }
    },
  );

  it("reaches the client as it is where it fits", async () => {
    const outputSchema = { type: "object", properties: { count: { type: "integer" } }, required: ["count"] };
    const tools = [{ name: "odd", inputSchema: { type: "object" }, outputSchema }];
    const result = { content: [], structuredContent: { count: 1, more: true } };
    await using world = await open({ "tools/list": () => ({ tools }), "tools/call": () => result });
    for (const one of Object.values(connect)) {
      await using host = await one(world);
      await host.list();
      expect(await host.call(oddName)).toMatchObject(result);
    }
  });
});

const methods = {
  "resources/list": "ListResourcesResult",
  "resources/templates/list": "ListResourceTemplatesResult",
  "prompts/list": "ListPromptsResult",
  "resources/read": "ReadResourceResult",
  "prompts/get": "GetPromptResult",
  "completion/complete": "CompleteResult",
} as const;

it("sends resources, prompts and completions that official clients accept, whatever the server has", async () => {
  const list = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(one, { maxLength: 2 });
  const message = arbitrary.membersOf({ role: fc.constantFrom("user", "assistant"), content: arbitrary.block });
  const answers = fc.record({
    "resources/list": fc.record({ resources: list(arbitrary.resource) }),
    "resources/templates/list": fc.record({ resourceTemplates: list(arbitrary.template) }),
    "prompts/list": fc.record({ prompts: list(arbitrary.prompt).map((all) => [...all, { name: "odd" }]) }),
    "resources/read": arbitrary.membersOf({ contents: list(arbitrary.contents), _meta: {} }),
    "prompts/get": arbitrary.membersOf({ messages: list(message), description: "Words", _meta: {} }),
    "completion/complete": fc.record({
      completion: arbitrary.membersOf({ values: ["a"], total: 1, hasMore: true }),
    }),
  });
  await fc.assert(
    fc.asyncProperty(answers, async (script) => {
      const answer = (method: string): [string, () => unknown] => [method, () => Reflect.get(script, method)];
      await using world = await open(Object.fromEntries(Object.keys(script).map(answer)));
      await using client = await connectSession(world.gateway);
      const params: Readonly<Record<string, JsonObject>> = {
        "resources/read": { uri: "file:///a" },
        "prompts/get": { name: "odd_odd" },
        "completion/complete": { ref: { type: "ref/prompt", name: "odd_odd" }, argument: { name: "a", value: "" } },
      };
      for (const [method, type] of Object.entries(methods)) {
        const { result, error } = await client.request(method, params[method] ?? {});
        if (error !== undefined) continue;
        expect([method, specTypeSchemas[type]["~standard"].validate(result)]).toEqual([
          method,
          expect.not.objectContaining({ issues: expect.anything() }),
        ]);
        expect(JSON.stringify(result)).not.toMatch(/\\ud[89a-f]/);
      }
    }),
    runs,
  );
});

const sentSchemas = new Map([
  ["elicitation/create", ElicitRequestSchema],
  ["notifications/progress", ProgressNotificationSchema],
] as const as readonly (readonly [string, typeof ElicitRequestSchema | typeof ProgressNotificationSchema])[]);

it("asks and reports only what official clients accept, whatever the server sends", async () => {
  await fc.assert(
    fc.asyncProperty(
      arbitrary.question,
      arbitrary.membersOf({ progress: 1, total: 2, message: "a" }),
      async (question, progress) => {
        const tools = [{ name: "odd", inputSchema: { type: "object" } }];
        await using world = await open({
          "tools/list": () => ({ tools }),
          async "tools/call"({ _meta }, say) {
            const { progressToken = null } = _meta as JsonObject;
            await say({ jsonrpc: "2.0", method: "notifications/progress", params: { ...progress, progressToken } });
            await say({ jsonrpc: "2.0", id: "q", method: "elicitation/create", params: question as JsonObject });
            return { content: [] };
          },
        });
        await using client = await connectSession(world.gateway, {
          capabilities: { elicitation: { form: {}, url: {} } },
        });
        await client.request("tools/call", { name: oddName, _meta: { progressToken: 1 } });
        const wrong = client.received.filter((message) => {
          const { method } = message;
          return typeof method === "string" && sentSchemas.get(method)?.safeParse(message).success === false;
        });
        expect(wrong).toEqual([]);
      },
    ),
    runs,
  );
});

it("reaches what a server lists with unseen characters in its name by what clients see of it", async () => {
  const uri = "file:///a\u{E0061}b";
  const name = "odd\u{E0061}prompt";
  const asked: unknown[] = [];
  const odd = scriptedServer("odd", {
    "resources/list": () => ({ resources: [{ uri, name: "a" }] }),
    "resources/templates/list": () => ({ resourceTemplates: [] }),
    "prompts/list": () => ({ prompts: [{ name }] }),
    "resources/read": (params) => (asked.push(params), { contents: [{ uri, text: "hello" }] }),
    "prompts/get": (params) => (asked.push(params), { messages: [] }),
  });
  await using world = await openWorld({ servers: [odd], withResources: true });
  await using client = await connectSession(world.gateway);
  expect(await client.request("resources/list")).toMatchObject({ result: { resources: [{ uri: "file:///ab" }] } });
  expect(await client.request("prompts/list")).toMatchObject({ result: { prompts: [{ name: "odd_oddprompt" }] } });
  expect(await client.request("resources/read", { uri: "file:///ab" })).toMatchObject({ result: { contents: [{}] } });
  expect(await client.request("prompts/get", { name: "odd_oddprompt" })).toMatchObject({ result: { messages: [] } });
  expect(asked).toMatchObject([{ uri }, { name }]);
});
