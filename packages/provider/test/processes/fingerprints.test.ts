import type { JsonObject, JsonValue } from "@hostside/core";
import { hashJson } from "@hostside/naming";
import { createProvider } from "@hostside/provider";
import { createConnector } from "@hostside/transports";
import { describe, expect, it } from "vitest";
import { startSubject, transportRows } from "./transport-rows.ts";

const slow = { timeout: 60_000 };
const inputSchema = { type: "object", properties: { b: { type: "string" }, a: { enum: [1, "é", null] } } };
// Whatever a server may write into an entry, known or not, well or badly.
const odd: readonly JsonObject[] = [
  { name: "plain", inputSchema },
  {
    name: "icons",
    inputSchema,
    icons: [{ src: "https://example.com/i.png" }],
    execution: { taskSupport: "forbidden" },
  },
  { name: "hints", inputSchema, annotations: { readOnlyHint: true, audience: ["user"], title: "Hints" } },
  { name: "long", inputSchema, description: "d".repeat(10_000), title: "t" },
  { name: "wrong", inputSchema, title: 7, description: null, _meta: [1], outputSchema: "none" },
  { name: "bare" },
  { name: "meta", inputSchema, _meta: { "example.com/version": 3 }, meta: { a: 1 }, extras: null },
];

interface Listed {
  readonly tools: readonly (JsonObject & { readonly name: string })[];
}

describe.each(transportRows)("fingerprints of a server over $name", (row) => {
  it("are those of its entries as it lists them, whatever is in them", slow, async () => {
    await using subject = await startSubject(row);
    await using provider = createProvider({ connector: createConnector(), servers: [subject.spec()] });
    await provider.init();
    await subject.control.perform([{ type: "change-tools", add: odd }]);
    await provider.refresh();
    const connection = await provider.connection("s");
    const { tools } = (await connection.request("tools/list", {})) as unknown as Listed;
    const entries = new Map(tools.map((entry) => [entry.name, hashJson(entry as JsonValue)]));
    const fingerprints = provider
      .tools()
      .map(({ origin, fingerprint }) => [origin?.toolName ?? "", fingerprint] as const);
    expect(fingerprints.length).toBe(odd.length + 2);
    expect(new Map(fingerprints)).toEqual(entries);
    expect(new Set(entries.values()).size).toBe(entries.size);
  });
});

it.each(transportRows.slice(0, 1))(
  "tells of a change that no model can see, by the name of the tool",
  slow,
  async (row) => {
    await using subject = await startSubject(row);
    await using provider = createProvider({ connector: createConnector(), servers: [subject.spec()] });
    await provider.init();
    const changes: unknown[] = [];
    provider.onToolsChanged((change) => changes.push(change));
    const before = provider.tools();
    const add = async (more: JsonObject): Promise<void> => {
      await subject.control.perform([
        { type: "change-tools", remove: ["extra"], add: [{ name: "extra", inputSchema, ...more }] },
      ]);
      await provider.refresh();
    };
    await add({ icons: [1] });
    const first = provider.tools(["mcp_s_extra"])[0];
    await add({ icons: [1] });
    expect(provider.tools(["mcp_s_extra"])[0]).toBe(first);
    await add({ icons: [2] });
    const second = provider.tools(["mcp_s_extra"])[0];
    expect(second).toEqual(first);
    expect(second?.fingerprint).not.toBe(first?.fingerprint);
    expect(changes).toEqual([
      { added: ["mcp_s_extra"], removed: [], changed: [] },
      { added: [], removed: [], changed: ["mcp_s_extra"] },
    ]);
    // The others are what they were.
    expect(provider.tools().slice(0, 1)).toEqual(before.slice(0, 1));
    // Who selected it by its words still may call it.
    await provider.call("mcp_s_extra", {}, { selected: first });
  },
);
