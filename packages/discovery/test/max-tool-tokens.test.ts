import type { Diagnostic, JsonObject } from "@hostside/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { test } from "../../../test/property-test.ts";
import {
  createToolbox,
  estimateDefinitionTokens,
  estimateTokens,
  type Toolbox,
  type ToolboxOptions,
  type ToolboxView,
  type ToolsAnswer,
} from "../src/index.ts";
import { fakeProvider, groupOf, serverTool } from "./fake-provider.ts";
import { namesIn } from "./sample-view.ts";

const helpers = ["tools_groups", "tools_select", "tools_search"];
const costOf = (view: ToolboxView, maxToolTokens: number): number =>
  view.tools({ maxToolTokens }).reduce((sum, definition) => sum + estimateDefinitionTokens(definition), 0);
const tokensOf = (answer: JsonObject): number => estimateTokens(JSON.stringify(answer));

const thing = (index: number): string => `mcp_big_thing_${String(index).padStart(3, "0")}`;

/** One server whose tools each have a schema of about so many bytes. */
function bigServer(count: number, bytes: number, options: ToolboxOptions = {}): Toolbox {
  return serverOf(Array(count).fill(bytes), options);
}

function serverOf(sizes: readonly number[], options: ToolboxOptions): Toolbox {
  const provider = fakeProvider("mcp");
  const definitions = sizes.map((bytes, index) => ({
    ...serverTool("big", thing(index).slice("mcp_big_".length)),
    inputSchema: {
      type: "object",
      properties: { text: { type: "string", description: "some words ".repeat(Math.floor(bytes / 11)) } },
    },
  }));
  const members = definitions.map(({ name }) => name);
  provider.offer(definitions, [groupOf("mcp:big", members, { instructions: "Think first. ".repeat(400) })]);
  return createToolbox({ ...options, providers: [provider] });
}

describe("maxToolTokens", () => {
  it("is that of the view where the call names none", () => {
    const view = bigServer(60, 1000).view({ maxToolTokens: 4000 });
    expect(view.tools().map(({ name }) => name)).toEqual(helpers);
    const all = bigServer(60, 1000).view({ maxToolTokens: 4000 });
    expect(all.tools({ maxToolTokens: Infinity })).toHaveLength(60);
    expect(() => bigServer(1, 1).view({ maxToolTokens: -1 })).toThrow(/maxToolTokens/);
  });

  it("is kept whatever is found and selected: those unused for the longest time are not declared any more", async () => {
    const view = bigServer(60, 1000).view();
    expect(costOf(view, 4000)).toBeLessThanOrEqual(4000);
    for (let round = 0; round < 9; round += 1) {
      await view.call("tools_search", { query: `thing_0${round}` });
      expect(costOf(view, 4000)).toBeLessThanOrEqual(4000);
      // The first one found stays, because it is used.
      await view.call("mcp_big_thing_000");
    }
    const declared = view.tools({ maxToolTokens: 4000 }).map(({ name }) => name);
    expect(declared.slice(0, 3)).toEqual(helpers);
    expect(declared).toEqual(expect.arrayContaining(["mcp_big_thing_000"]));
    expect(declared.length).toBeLessThan(4 + 4000 / 250);
  });

  it("pays for a schema once: an answer has names and descriptions of what is declared with the next request", async () => {
    const view = bigServer(60, 1000).view();
    view.tools({ maxToolTokens: 4000 });
    const found = await view.searchTools({ query: "thing_02" });
    expect(found.tools).toHaveLength(5);
    expect(found.tools.filter(({ parameters }) => parameters !== undefined)).toEqual([]);
    const selected = await view.selectTools({ tools: ["mcp_big_thing_050"] });
    expect(selected.tools[0]).toEqual({ name: "mcp_big_thing_050", description: "Does thing_050." });
    const declared = view.tools({ maxToolTokens: 4000 }).map(({ name }) => name);
    expect(declared).toEqual(expect.arrayContaining([...namesIn(found), "mcp_big_thing_050"]));
  });

  it("leaves schemas in answers for a product that declares nothing, or asks for them", async () => {
    const undeclaring = bigServer(60, 1000).view();
    expect((await undeclaring.searchTools({ query: "thing_02" })).tools[0]).toHaveProperty("parameters");
    const both = bigServer(60, 1000).view({ answerSchemas: "always" });
    both.tools({ maxToolTokens: 4000 });
    expect((await both.searchTools({ query: "thing_02" })).tools[0]).toHaveProperty("parameters");
  });

  it("bounds what an answer costs, advice and all", async () => {
    const view = bigServer(200, 1000).view();
    view.tools({ maxToolTokens: 8000 });
    expect(tokensOf(await view.searchTools({ query: "thing", limit: 64 }))).toBeLessThanOrEqual(1000);
    expect(tokensOf(await view.searchTools({ query: "*", limit: 64 }))).toBeLessThanOrEqual(1000);
    expect(tokensOf(await view.selectTools({ group: "mcp:big" }))).toBeLessThanOrEqual(2000);
    expect(tokensOf(view.listGroups({ query: "*" }))).toBeLessThanOrEqual(2000);
  });

  test.prop([
    fc.array(fc.integer({ min: 1, max: 40_000 }), { minLength: 1, maxLength: 12 }),
    fc.constantFrom(0, 1000, 8000, 20_000, 100_000),
    fc.boolean(),
  ])("bounds answers with tools of any size", async (sizes, maxToolTokens, isDeclaring) => {
    const view = serverOf(sizes, {}).view();
    if (isDeclaring) view.tools({ maxToolTokens });
    const most = isDeclaring ? maxToolTokens : Infinity;
    const names = sizes.map((_, index) => thing(index));
    const searched = await view.searchTools({ query: "thing", limit: 64 });
    expect(tokensOf(searched)).toBeLessThanOrEqual(Math.max(1000, most / 8));
    const answers = [
      await view.selectTools({ group: "mcp:big" }),
      await view.selectTools({ query: "thing", limit: 16 }),
      await view.selectTools({ tools: [...names, "no_such_thing"] }),
      view.listGroups({ query: "big" }),
    ];
    for (const answer of answers) expect(tokensOf(answer)).toBeLessThanOrEqual(Math.max(1000, most / 4));
  });

  it("shows the others beside a tool that is larger than there is room for, which has a line", async () => {
    const view = serverOf([300, 60_000, 300, 300, 300], {}).view();
    view.tools({ maxToolTokens: 0 });
    view.tools({ maxToolTokens: 8000 });
    const answer = await view.searchTools({ query: "thing" });
    expect(tokensOf(answer)).toBeLessThanOrEqual(1000);
    expect(namesIn(answer).toSorted()).toEqual([0, 1, 2, 3, 4].map(thing));
    expect(answer.not_declared).toEqual({ names: [thing(1)], total: 1 });
    const declared = view.tools({ maxToolTokens: 8000 }).map(({ name }) => name);
    expect(declared).toEqual(expect.arrayContaining([0, 2, 3, 4].map(thing)));
  });

  it("shortens the lines of the directory before it leaves a group out", () => {
    const provider = fakeProvider("mcp");
    const ids = Array.from({ length: 47 }, (_, at) => `server_${at}`);
    const definitions = ids.map((id) => serverTool(id, "thing"));
    const about =
      "Finds, reads and changes what a team keeps in its archive of documents, with all that belongs to it.";
    provider.offer(
      definitions,
      ids.map((id) => groupOf(`mcp:${id}`, [`mcp_${id}_thing`], { description: `${about} ${about}` })),
    );
    const view = createToolbox({ providers: [provider] }).view();
    view.tools({ maxToolTokens: 8000 });
    const answer = view.listGroups({ query: "*" });
    expect(answer.groups).toHaveLength(47);
    expect(answer).not.toHaveProperty("omitted_groups");
    expect(tokensOf(answer)).toBeLessThanOrEqual(2000);
    expect(answer.groups[0]?.description).toMatch(/^Finds, reads/);
  });

  it("never gives up what is always visible, and says when that alone is too much", () => {
    const diagnostics: Diagnostic[] = [];
    const toolbox = bigServer(60, 1000, { onDiagnostic: (diagnostic) => diagnostics.push(diagnostic) });
    const view = toolbox.view({ alwaysVisible: ["mcp_big_thing_007"], selection: ["mcp_big_thing_008"] });
    const declared = (maxToolTokens: number): readonly string[] =>
      view.tools({ maxToolTokens }).map(({ name }) => name);
    expect(declared(500)).toEqual([...helpers, "mcp_big_thing_007"]);
    expect(declared(500)).toHaveLength(4);
    expect(diagnostics).toMatchObject([{ kind: "over-budget" }]);
    expect(declared(2000)).toEqual([...helpers, "mcp_big_thing_007", "mcp_big_thing_008"]);
  });

  it.each([[-1], [Number.NaN]])("of %d is a TypeError", (maxToolTokens) => {
    expect(() => createToolbox().view().tools({ maxToolTokens })).toThrow(TypeError);
  });
});

describe("a group that is larger than there is room for", () => {
  const members = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => thing(index));

  /** Follows `next` to the end; says for each page which tools the model could call. */
  async function readPages(
    view: ToolboxView,
    maxToolTokens: number | undefined,
  ): Promise<readonly (readonly string[])[]> {
    const pages: string[][] = [];
    let input: JsonObject | undefined = { group: "mcp:big" };
    while (input !== undefined) {
      const answer: ToolsAnswer = await view.selectTools(input);
      const shown = answer.tools.filter(({ parameters }) => parameters !== undefined).map(({ name }) => name);
      const declared =
        maxToolTokens === undefined ? view.selection() : view.tools({ maxToolTokens }).map(({ name }) => name);
      const page = [...declared, ...shown].filter((name) => name.startsWith("mcp_big"));
      pages.push(page);
      input = answer.next;
      expect(pages.length).toBeLessThan(300);
    }
    return pages;
  }

  interface Case {
    readonly tools: number;
    readonly bytes: number;
    readonly maxToolTokens?: number;
  }

  it.each<[string, Case]>([
    ["with maxToolTokens", { tools: 200, bytes: 3000, maxToolTokens: 8000 }],
    ["without maxToolTokens", { tools: 200, bytes: 3000 }],
  ])("comes page by page, %s, and no member is lost", async (_, { tools, bytes, maxToolTokens }) => {
    const view = bigServer(tools, bytes).view();
    if (maxToolTokens !== undefined) {
      view.tools({ maxToolTokens: 0 });
      view.tools({ maxToolTokens });
    }
    const pages = await readPages(view, maxToolTokens);
    expect(pages.length).toBeGreaterThan(1);
    expect(Array.from(new Set(pages.flat())).toSorted()).toEqual(members(tools));
  });

  it("says how many are not declared, and what to pass for the rest", async () => {
    const view = bigServer(200, 3000).view();
    view.tools({ maxToolTokens: 8000 });
    const answer = await view.selectTools({ group: "mcp:big" });
    const count = answer.tools.length;
    expect(count).toBeGreaterThan(5);
    expect(answer.not_declared?.total).toBe(200 - count);
    expect(answer.not_declared?.names[0]).toBe(members(200)[count]);
    expect(answer.next).toEqual({ group: "mcp:big", after: members(200)[count - 1] });
  });

  it("names the arguments of a tool that alone is larger than maxToolTokens and the answer", async () => {
    const view = bigServer(3, 9000).view();
    view.tools({ maxToolTokens: 1000 });
    const answer = await view.selectTools({ tools: ["mcp_big_thing_001"] });
    expect(answer.tools).toEqual([{ name: "mcp_big_thing_001", description: "Does thing_001.", arguments: "text" }]);
    expect(answer).toMatchObject({ not_declared: { names: ["mcp_big_thing_001"], total: 1 } });
    expect(answer.next).toBeUndefined();
  });

  it("comes page by page in lines where no tool fits into maxToolTokens", async () => {
    const view = bigServer(100, 9000).view();
    view.tools({ maxToolTokens: 1000 });
    const named: string[] = [];
    let input: JsonObject | undefined = { group: "mcp:big" };
    while (input !== undefined) {
      const answer: ToolsAnswer = await view.selectTools(input);
      expect(tokensOf(answer)).toBeLessThanOrEqual(1000);
      named.push(...namesIn(answer));
      input = answer.next;
      expect(named.length).toBeLessThanOrEqual(100);
    }
    expect(named).toEqual(members(100));
  });
});

describe('tools_search("*")', () => {
  it("has the groups of what it lists", async () => {
    const view = bigServer(3, 100).view();
    expect((await view.searchTools({ query: "*" })).groups).toMatchObject([{ id: "mcp:big", member_count: 3 }]);
  });
});
