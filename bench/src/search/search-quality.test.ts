import { estimateDefinitionTokens } from "@hostside/discovery";
import { getEncoding } from "js-tiktoken";
import { describe, expect, it } from "vitest";
import { makeDistractors } from "./distractors.ts";
import { localNames, measureQuality, type Quality } from "./measure-quality.ts";
import { rankers, hostsideRanker } from "./rankers.ts";
import { queryKinds, readQueries } from "./read-queries.ts";
import { queryStyles, readPublishedQueries } from "./read-published-queries.ts";
import { readPublishedSet, readToolSet } from "./tool-set.ts";

const toolSet = readToolSet();
const tools = toolSet.flatMap((server) => server.tools);
const names = localNames(toolSet);
const known = new Set(names.keys());
const develop = readQueries("develop", known);
const report = readQueries("report", known);

describe("the data set", () => {
  it("has at least 400 tools of 20 servers, most of them recorded, under different names", () => {
    expect(toolSet.length).toBeGreaterThanOrEqual(20);
    expect(tools.length).toBeGreaterThanOrEqual(400);
    expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length);
    const recorded = toolSet.filter(({ source }) => source === "recorded").flatMap((server) => server.tools);
    expect(recorded.length).toBeGreaterThan(tools.length / 2);
  });

  it("has at least 150 queries of four kinds, none in both halves", () => {
    expect(develop.length + report.length).toBeGreaterThanOrEqual(150);
    const asked = new Set(develop.map(({ query }) => query.toLowerCase()));
    expect(report.filter(({ query }) => asked.has(query.toLowerCase()))).toEqual([]);
    for (const kind of queryKinds)
      expect(report.filter((query) => query.kind === kind).length).toBeGreaterThanOrEqual(25);
  });
});

describe("the search", () => {
  const at = (recall3: number, recall5: number, mrr: number): Quality =>
    expect.objectContaining({
      recall3: expect.toSatisfy((value: number) => value >= recall3, `at least ${recall3}`),
      recall5: expect.toSatisfy((value: number) => value >= recall5, `at least ${recall5}`),
      mrr: expect.toSatisfy((value: number) => value >= mrr, `at least ${mrr}`),
    });

  it("finds what is wanted among the tools of the data set", () => {
    const search = hostsideRanker.build(toolSet);
    expect(measureQuality(search, develop, names)).toEqual(at(0.92, 0.96, 0.87));
    expect(measureQuality(search, report, names)).toEqual(at(0.9, 0.95, 0.88));
  });

  it("finds it among 10,000 tools as well", () => {
    const search = hostsideRanker.build([...toolSet, ...makeDistractors(10_000 - tools.length)]);
    expect(measureQuality(search, develop, names)).toEqual(at(0.9, 0.93, 0.85));
    expect(measureQuality(search, report, names)).toEqual(at(0.87, 0.92, 0.84));
  });

  it("finds it among the tools of published servers, by queries that were not written with it in mind", () => {
    const published = readPublishedSet();
    const publishedNames = localNames(published);
    const queries = readPublishedQueries("published", new Set(publishedNames.keys()));
    expect(queries.length).toBeGreaterThanOrEqual(140);
    // A floor. What is claimed stands in docs/internals/search-measurements.md, and is of other queries.
    const quality = measureQuality(hostsideRanker.build(published), queries, publishedNames);
    expect(quality).toEqual(at(0.58, 0.62, 0.55));
  });

  it.each([
    ["published", 140],
    ["confirm", 110],
    ["confirm-again", 125],
    ["confirm-asked", 125],
    ["confirm-fresh", 125],
  ] as const)("has queries of each style in the set %s, and knows every tool that answers them", (set, count) => {
    const known = new Set(localNames(readPublishedSet()).keys());
    const queries = readPublishedQueries(set, known);
    expect(queries).toHaveLength(count);
    for (const style of queryStyles) expect(queries.filter((query) => query.style === style)).toHaveLength(count / 5);
  });

  it("puts an exactly named tool first, always", () => {
    const search = hostsideRanker.build([...toolSet, ...makeDistractors(10_000 - tools.length)]);
    for (const { name } of tools) expect(search(name, 1)).toEqual([name]);
  });

  it("knows what tools work on by their parameters, and does not fall for a name that is one word of the query", () => {
    const search = hostsideRanker.build(toolSet);
    for (const query of ["list pods", "show me the pods"])
      expect(search(query, 5)).toContain("mcp_kubernetes_kubectl_get");
    const [first, ...others] = toolSet;
    const rival = (first?.tools ?? []).slice(0, 1).map((tool) => ({
      ...tool,
      name: "mcp_azure_documentation",
      title: "Microsoft documentation",
      description:
        "Search official Microsoft/Azure documentation to find the most relevant and trustworthy content for a query.",
      origin: { serverId: "azure", toolName: "documentation", qualifiedName: "mcp::azure::documentation" },
    }));
    const azure = { id: "azure", source: "written" as const, tools: rival };
    const rivals =
      first === undefined ? [] : [{ ...azure, group: { ...first.group, title: "Azure" } }, first, ...others];
    const found = hostsideRanker.build(rivals)("documentation of react", 5);
    expect(found).toContain("mcp_azure_documentation");
    expect(found[0]).toBe("mcp_context7_query_docs");
  });

  it("is better than each of its alternatives", () => {
    const [own, ...others] = rankers.map((ranker) => measureQuality(ranker.build(toolSet), report, names));
    for (const other of others) {
      expect(own?.recall5).toBeGreaterThan(other.recall5);
      expect(own?.mrr).toBeGreaterThan(other.mrr);
    }
  });
});

describe("the token estimate", () => {
  const encoding = getEncoding("o200k_base");
  const countReally = ({ name, description, inputSchema }: (typeof tools)[number]): number =>
    encoding.encode(JSON.stringify({ name, description, parameters: inputSchema })).length;

  it("is within 15 % of a real tokenizer for every tool, every server and all together", () => {
    let [estimated, real] = [0, 0];
    for (const server of toolSet) {
      let [serverEstimated, serverReal] = [0, 0];
      for (const tool of server.tools) {
        const [estimate, count] = [estimateDefinitionTokens(tool), countReally(tool)];
        expect(Math.abs(estimate / count - 1), tool.name).toBeLessThan(0.15);
        serverEstimated += estimate;
        serverReal += count;
      }
      expect(Math.abs(serverEstimated / serverReal - 1), server.id).toBeLessThan(0.1);
      estimated += serverEstimated;
      real += serverReal;
    }
    expect(Math.abs(estimated / real - 1)).toBeLessThan(0.05);
  });
});
