import type { ToolDefinition } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { createToolAdmission } from "../src/catalog/admit-tools.ts";
import { createCatalogSearch } from "../src/catalog/catalog-search.ts";
import type { ToolboxCatalog } from "../src/catalog/toolbox-catalog.ts";
import { mergeSources } from "../src/catalog/follow-sources.ts";
import { type SearchHit, createToolbox } from "../src/index.ts";
import { type FakeProvider, fakeProvider, groupOf, serverTool } from "./fake-provider.ts";

const verbs = ["list", "get", "create", "update", "delete"];

/** A provider with 100 servers. */
function bigProvider(tools: number): FakeProvider {
  const provider = fakeProvider("mcp");
  const perServer = tools / 100;
  const servers = Array.from({ length: 100 }, (_, server) =>
    Array.from({ length: perServer }, (__, tool) =>
      serverTool(
        `server${server}`,
        `${verbs[tool % 5] ?? ""}_thing${tool}`,
        `Does something to thing ${tool} of server ${server}.`,
      ),
    ),
  );
  provider.offer(
    servers.flat(),
    servers.map((own, server) =>
      groupOf(
        `mcp:server${server}`,
        own.map(({ name }) => name),
      ),
    ),
  );
  return provider;
}

function catalogOf(provider: FakeProvider): ToolboxCatalog {
  return mergeSources({
    tools: [],
    providers: [provider],
    precedence: "static",
    reserved: new Set(),
    admission: createToolAdmission(undefined),
  });
}

/** How many reads of members of groups and definitions a piece of work makes. */
function countReads<T extends object>(
  objects: readonly T[],
): { readonly objects: readonly T[]; readonly reads: () => number } {
  let reads = 0;
  const counted = objects.map(
    (object) =>
      new Proxy(object, {
        get(target, member, receiver) {
          reads += 1;
          return Reflect.get(target, member, receiver) as unknown;
        },
      }),
  );
  return { objects: counted, reads: () => reads };
}

describe("10,000 tools over 100 servers", () => {
  it("cost ten times as much as 1,000, not a hundred times: reads for snapshot, groups and selection", async () => {
    const work = await Promise.all(
      [1000, 10_000].map(async (size) => {
        const provider = bigProvider(size);
        const { objects, reads } = countReads(provider.tools());
        provider.offer(objects, provider.groups());
        const sorted = reads();
        const view = createToolbox({ providers: [provider] }).view();
        expect(view.groups()).toHaveLength(100);
        const answer = await view.selectTools({ group: "mcp:server7" });
        expect(answer.tools).toHaveLength(size / 100);
        return reads() - sorted;
      }),
    );
    const [small = 0, large = 0] = work;
    expect(large / small).toBeLessThan(12);
    // A handful of reads per tool.
    expect(large).toBeLessThan(10_000 * 40);
  });

  it("re-index in proportion to what came and went: one server's 50 tools are read, and no other", () => {
    const provider = bigProvider(10_000);
    const search = createCatalogSearch();
    const { objects, reads } = countReads(provider.tools());
    const more = countReads(Array.from({ length: 50 }, (_, tool) => serverTool("extra", `frobnicate_${tool}`)));
    const find = (definitions: readonly ToolDefinition[]): readonly SearchHit[] => {
      provider.offer(definitions, provider.groups());
      return search.search(catalogOf(provider), "frobnicate_7", { limit: 1 });
    };
    expect(find(objects)).not.toMatchObject([{ name: "mcp_extra_frobnicate_7" }]);
    const [first, added] = [reads(), more.reads()];
    expect(find([...objects, ...more.objects])).toMatchObject([{ name: "mcp_extra_frobnicate_7" }]);
    // Names alone are read of those that were there.
    expect(reads() - first).toBeLessThan(first / 2);
    expect(more.reads() - added).toBeGreaterThan(50);
    expect(find(objects)).not.toMatchObject([{ name: "mcp_extra_frobnicate_7" }]);
  });

  it("are counted against maxToolTokens only as far as needed", () => {
    const provider = bigProvider(10_000);
    const { objects, reads } = countReads(provider.tools().map(({ inputSchema }) => inputSchema));
    const definitions = provider
      .tools()
      .map((definition, index) => ({ ...definition, inputSchema: objects[index] ?? {} }));
    provider.offer(definitions, provider.groups());
    createToolbox({ providers: [provider] })
      .view()
      .tools({ maxToolTokens: 5000 });
    expect(reads()).toBeLessThan(2000);
  });
});
