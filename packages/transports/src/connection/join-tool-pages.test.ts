import { defaultLimits, type JsonObject, type ServerLimits, type ToolListing } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import { describe, expect, it } from "vitest";
import { ToolListingReader } from "./list-tools.ts";

const inputSchema = { type: "object" };
const tool = (name: string, members: object = {}): JsonObject => ({ name, inputSchema, ...members });

describe("readToolListing()", () => {
  it("puts the pages together in the server's order, schemas as the objects they are", () => {
    const schema = { type: "object", $defs: { a: {} }, "x-other": true };
    const listing = readToolListing(
      [
        { tools: [tool("b"), tool("a", { inputSchema: schema, outputSchema: schema })], nextCursor: "2" },
        { tools: [tool("c")] },
      ],
      defaultLimits,
    );
    expect(listing).toMatchObject({ pages: 2, dropped: [] });
    expect(listing).not.toHaveProperty("truncated");
    expect(listing.tools.map(({ name }) => name)).toEqual(["b", "a", "c"]);
    expect(listing.tools[1]?.inputSchema).toBe(schema);
    expect(listing.tools[1]?.outputSchema).toBe(schema);
  });

  it.each([
    { entry: 7, dropped: { reason: "it is not an object" } },
    { entry: null, dropped: { reason: "it is not an object" } },
    { entry: { inputSchema }, dropped: { reason: "its name is not a string" } },
    { entry: tool(""), dropped: { reason: "its name is empty" } },
    { entry: tool("n".repeat(1025)), dropped: { reason: "its name is longer than 1024 characters" } },
    { entry: tool("ok"), dropped: { name: "ok", reason: "an earlier tool has the same name" } },
  ])("costs a bad entry that tool, with a reason, and no other: $dropped.reason", ({ entry, dropped }) => {
    const listing = readToolListing([{ tools: [tool("ok"), entry, tool("last")] }], defaultLimits);
    expect(listing.tools.map(({ name }) => name)).toEqual(["ok", "last"]);
    expect(listing.dropped).toMatchObject([dropped]);
  });

  const anyObject = { type: "object" };
  it.each([
    {
      members: { inputSchema: undefined },
      reason: "its inputSchema is not an object",
      schemas: [anyObject, undefined],
    },
    { members: { inputSchema: "{" }, reason: "its inputSchema is not an object", schemas: [anyObject, undefined] },
    { members: { outputSchema: "no" }, reason: "its outputSchema is not an object", schemas: [inputSchema, undefined] },
    {
      members: { inputSchema: { a: "x".repeat(70_000) }, outputSchema: { b: 1 } },
      reason: "its schema is longer than 65536 characters",
      schemas: [anyObject, { b: 1 }],
    },
  ])("keeps a tool whose schema cannot be used, flagged, without it: $reason", (odd) => {
    const listing = readToolListing([{ tools: [tool("ok"), tool("x", odd.members), tool("last")] }], defaultLimits);
    expect(listing.tools.map(({ name, flags }) => [name, flags?.[0]])).toEqual([
      ["ok", undefined],
      ["x", "schema-replaced"],
      ["last", undefined],
    ]);
    expect([listing.tools[1]?.inputSchema, listing.tools[1]?.outputSchema]).toEqual(odd.schemas);
    expect(listing.withoutSchema).toEqual([{ name: "x", reason: odd.reason }]);
    expect(listing.dropped).toEqual([]);
  });

  it("keeps a tool that is nested 600 deep without its schema, and the list", () => {
    let deep: JsonObject = {};
    for (let level = 0; level < 600; level += 1) deep = { properties: deep };
    const listing = readToolListing([{ tools: [tool("a"), tool("deep", { inputSchema: deep })] }], defaultLimits);
    expect(listing.tools.map(({ name }) => name)).toEqual(["a", "deep"]);
    expect(listing.withoutSchema).toEqual([{ name: "deep", reason: "its schema is nested deeper than 64 levels" }]);
  });

  it("keeps a tool without those of its parts that are of the wrong type", () => {
    const odd = tool("x", {
      title: 1,
      description: null,
      outputSchema: null,
      annotations: { readOnlyHint: "yes", openWorldHint: false },
      _meta: [],
    });
    expect(readToolListing([{ tools: [odd] }], defaultLimits).tools).toEqual([
      {
        name: "x",
        inputSchema,
        annotations: { openWorldHint: false },
        extras: { title: 1, description: null, outputSchema: null, annotations: odd["annotations"], _meta: [] },
      },
    ]);
  });

  it("keeps beside a tool what of its entry it does not show, and nothing beside one that shows all", () => {
    const whole = tool("whole", {
      title: "Whole",
      description: "All of it.",
      outputSchema: {},
      annotations: { title: "W", readOnlyHint: true, openWorldHint: false },
      _meta: { a: 1 },
    });
    const icons = [{ src: "https://example.com/i.png" }];
    const entries = [
      whole,
      tool("more", { icons, meta: 1, extras: {}, flags: ["bidi"], ["__proto__"]: { a: 1 } }),
      tool("hint", { annotations: { readOnlyHint: true, audience: "user" } }),
      { name: "bare" },
      tool("long", { description: "d".repeat(9000) }),
    ];
    const listing = readToolListing([{ tools: JSON.parse(JSON.stringify(entries)) }], defaultLimits);
    expect(listing.tools.map(({ extras }) => extras)).toEqual([
      undefined,
      { icons, meta: 1, extras: {}, flags: ["bidi"], ["__proto__"]: { a: 1 } },
      { annotations: { readOnlyHint: true, audience: "user" } },
      { inputSchema: undefined },
      { description: "d".repeat(9000) },
    ]);
    expect(listing.tools[0]?.annotations).toEqual(whole["annotations"]);
    expect(listing.tools[2]?.annotations).toEqual({ readOnlyHint: true });
  });

  it("keeps no more beside a tool than a schema may have, and says so", () => {
    const entries = [tool("much", { icons: "x".repeat(70_000) }), tool("less", { icons: "x".repeat(60_000) })];
    const listing = readToolListing([{ tools: entries }], defaultLimits);
    expect(listing.tools.map(({ flags, extras }) => [flags, extras === undefined])).toEqual([
      [["extras-dropped"], true],
      [undefined, false],
    ]);
    // What is kept counts.
    const limits = { ...defaultLimits, maxListingLength: 50_000 };
    expect(readToolListing([{ tools: entries }], limits)).toMatchObject({
      truncated: "size-limit",
      tools: [{ name: "much" }],
    });
  });

  it("cuts a long description and says so, and flags hidden text without touching it", () => {
    const listing = readToolListing(
      [{ tools: [tool("long", { description: "d".repeat(9000) }), tool("odd", { description: "a\u202Eb" })] }],
      defaultLimits,
    );
    expect(listing.tools[0]?.description).toHaveLength(8192);
    expect(listing.tools.map(({ flags }) => flags)).toEqual([["truncated"], ["bidi"]]);
    expect(listing.tools[1]?.description).toBe("a\u202Eb");
  });

  it("treats names of Object.prototype as names", () => {
    const names = ["__proto__", "constructor", "toString"];
    const pages = [{ tools: names.map((name) => tool(name)) }];
    expect(readToolListing(pages, defaultLimits).tools.map(({ name }) => name)).toEqual(names);
  });
});

describe("ToolListingReader", () => {
  it.each([
    { name: "the page limit", limits: { maxPages: 2 }, cursors: ["a", "b", "c"], truncated: "page-limit", pages: 2 },
    { name: "a repeated cursor", limits: {}, cursors: ["a", "b", "a"], truncated: "repeated-cursor", pages: 3 },
    {
      name: "an oversized cursor",
      limits: { maxCursorLength: 3 },
      cursors: ["a", "long"],
      truncated: "bad-cursor",
      pages: 2,
    },
    { name: "a cursor that is no string", limits: {}, cursors: ["a", 7], truncated: "bad-cursor", pages: 2 },
  ])("stops at $name and keeps what it read (faults 95, 96)", ({ limits, cursors, truncated, pages }) => {
    const reader = new ToolListingReader({ limits: { ...defaultLimits, ...limits } });
    let page = 0;
    while (typeof reader.add({ tools: [tool(`t${page}`)], nextCursor: cursors[page] ?? "end" }) === "string") page += 1;
    expect(reader.listing()).toMatchObject({ truncated, pages });
    expect(reader.listing().tools).toHaveLength(pages);
  });

  it("stops at the tool limit, counting what is dropped, too", () => {
    const reader = new ToolListingReader({ limits: { ...defaultLimits, maxTools: 3 } });
    expect(reader.add({ tools: [1, 2, tool("a"), tool("b")], nextCursor: "x" })).toBeUndefined();
    expect(reader.listing()).toMatchObject({ truncated: "tool-limit", tools: [{ name: "a" }], dropped: [{}, {}] });
  });

  it("counts no tool against the limit that is not wanted, however many there are", () => {
    const junk = Array.from({ length: 20 }, (_, index) => tool(`junk-${index}`));
    const limits = { ...defaultLimits, maxTools: 10 };
    const reader = new ToolListingReader({ limits, wants: (name) => !name.startsWith("junk") });
    expect(reader.add({ tools: [...junk, tool("wanted")], nextCursor: "2" })).toBe("2");
    expect(reader.add({ tools: [...junk, tool("also")] })).toBeUndefined();
    const { tools, truncated } = reader.listing();
    expect(truncated).toBeUndefined();
    expect(tools.map(({ name }) => name).filter((name) => !name.startsWith("junk"))).toEqual(["wanted", "also"]);
    // Some are kept, because a filter can change; never more than may be wanted.
    expect(tools).toHaveLength(12);
  });

  it("stops when all tools together are longer than a listing may be", () => {
    const limits = { ...defaultLimits, maxListingLength: 1000 };
    const reader = new ToolListingReader({ limits });
    const page = { tools: [tool("a"), tool("b", { description: "d".repeat(900) }), tool("c"), tool("d")] };
    reader.add({ tools: [...page.tools, tool("e", { description: "d".repeat(200) }), tool("f")], nextCursor: "2" });
    expect(reader.listing().truncated).toBe("size-limit");
    expect(reader.listing().tools.map(({ name }) => name)).toEqual(["a", "b", "c", "d"]);
    expect(reader.add({ tools: [tool("g")] })).toBeUndefined();
    expect(reader.listing().tools).toHaveLength(4);
  });

  it("follows an empty cursor, and takes it for the end when the server then starts over", () => {
    const honest = new ToolListingReader({ limits: defaultLimits });
    expect(honest.add({ tools: [tool("a")], nextCursor: "" })).toBe("");
    expect(honest.add({ tools: [tool("b")] })).toBeUndefined();
    expect(honest.listing().tools).toHaveLength(2);

    const sloppy = new ToolListingReader({ limits: defaultLimits });
    expect(sloppy.add({ tools: [tool("a")], nextCursor: "" })).toBe("");
    expect(sloppy.add({ tools: [tool("a")], nextCursor: "" })).toBeUndefined();
    expect(sloppy.listing()).toEqual({ tools: [{ name: "a", inputSchema }], dropped: [], pages: 2 });
  });

  it("ends where the server ignores cursors and gives a new one each time, and takes null for no tools", () => {
    const reader = new ToolListingReader({ limits: defaultLimits });
    expect(reader.add({ tools: [tool("a")], nextCursor: "1" })).toBe("1");
    expect(reader.add({ tools: [tool("a")], nextCursor: "2" })).toBeUndefined();
    expect(reader.listing()).toEqual({ tools: [{ name: "a", inputSchema }], dropped: [], pages: 2 });
    const empty = new ToolListingReader({ limits: defaultLimits });
    expect([empty.add({ tools: null }), empty.listing().tools]).toEqual([undefined, []]);
  });

  it("reads 20,000 tools without growing worse than their number (fault 105)", () => {
    const limits = { ...defaultLimits, maxTools: 20_000 };
    const page = { tools: Array.from({ length: 20_000 }, (_, index) => tool(`tool-${index}`, { description: "d" })) };
    expect(readToolListing([page], limits).tools).toHaveLength(20_000);
  });
});

function readToolListing(pages: readonly unknown[], limits: ServerLimits): ToolListing {
  const reader = new ToolListingReader({ limits });
  for (const page of pages) if (!isJsonObject(page) || typeof reader.add(page) !== "string") break;
  return reader.listing();
}
