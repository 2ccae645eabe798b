import type { ToolDefinition, ToolGroup } from "@hostside/core";
import { aboutGroup, createSearchIndex, toSearchDocument, type SearchHit } from "@hostside/discovery";
import { toolBriefOf, type ToolBrief } from "./tool-brief.ts";

/** A tool that a search found. */
export interface SearchResultTool extends ToolBrief {
  /**
   * By what: its name, the beginning of its name, or words. Absent where the toolbox found it and
   * words alone would not have.
   */
  readonly match?: SearchHit["match"] | undefined;
  /** Comparable within one search alone. */
  readonly score?: number | undefined;
}

/** What `search --json` prints. */
export interface SearchReport {
  readonly query: string;
  /** The best first. */
  readonly tools: readonly SearchResultTool[];
  /** How many tools were searched. */
  readonly totalTools: number;
}

/** The tools that a model would find, in its order, each with the score that put it there. Pure. */
export function describeFound(
  query: string,
  names: readonly string[],
  { definitions, groups }: { readonly definitions: readonly ToolDefinition[]; readonly groups: readonly ToolGroup[] },
): SearchReport {
  const index = createSearchIndex();
  for (const definition of definitions) {
    const own = groups.filter(({ id }) => definition.groupIds?.includes(id));
    const context = [definition.origin?.serverId ?? "", ...own.map(({ title }) => title)].join(" ").trim();
    index.add(toSearchDocument(definition, context, own.map(aboutGroup).join(" ")));
  }
  const hits = new Map(index.search(query, { limit: definitions.length }).map((hit) => [hit.name, hit]));
  const byName = new Map(definitions.map((definition) => [definition.name, definition]));
  const tools = names.flatMap((name): readonly SearchResultTool[] => {
    const definition = byName.get(name);
    if (definition === undefined) return [];
    const hit = hits.get(name);
    const score = hit === undefined ? {} : { match: hit.match, score: Math.round(hit.score * 1000) / 1000 };
    return [{ ...toolBriefOf(definition), ...score }];
  });
  return { query, tools, totalTools: definitions.length };
}
