import { aboutGroup, createSearchIndex, toSearchDocument } from "@hostside/discovery";
import MiniSearch from "minisearch";
import type { ToolSetServer } from "./tool-set.ts";

/** Names of tools, best first. */
export type Search = (query: string, limit: number) => readonly string[];

/** A way to rank tools. */
export interface Ranker {
  readonly name: string;
  /** Makes an index that is ready for its first query. */
  build(servers: readonly ToolSetServer[]): Search;
}

/** The index of @hostside/discovery. */
export const hostsideRanker: Ranker = {
  name: "Hostside",
  build(servers) {
    const index = createSearchIndex();
    for (const { id, group, tools } of servers) {
      for (const tool of tools) index.add(toSearchDocument(tool, `${id} ${group.title}`, aboutGroup(group)));
    }
    index.search("ready", { limit: 1 });
    return (query, limit) => index.search(query, { limit }).map(({ name }) => name);
  },
};

/** Tools by how many words of the query occur somewhere in their name or description. */
const substringRanker: Ranker = {
  name: "Substring scan",
  build(servers) {
    const texts = flatten(servers).map(({ name, description }) => ({
      name,
      text: `${name} ${description}`.toLowerCase(),
    }));
    return (query, limit) => {
      const words = wordsOf(query);
      const score = (text: string): number => words.filter((word) => text.includes(word)).length;
      return best(
        texts.map(({ name, text }) => ({ name, score: score(text) })),
        limit,
      );
    };
  },
};

/**
 * A table of scores, as one of the replaced systems has it: whole-name matches, then words in the
 * name, then words in the description.
 */
const scoreTableRanker: Ranker = {
  name: "Score table",
  build(servers) {
    const tools = flatten(servers).map(({ name, description }) => ({
      name,
      key: name.toLowerCase(),
      text: description.toLowerCase(),
    }));
    return (query, limit) => {
      const whole = query.toLowerCase();
      const words = wordsOf(query);
      const score = (key: string, text: string): number =>
        (key === whole ? 10_000 : 0) +
        (key.startsWith(whole) ? 2500 : 0) +
        (key.includes(whole) ? 500 : 0) +
        100 * words.filter((word) => key.includes(word)).length +
        10 * words.filter((word) => text.includes(word)).length;
      return best(
        tools.map(({ name, key, text }) => ({ name, score: score(key, text) })),
        limit,
      );
    };
  },
};

/** MiniSearch as it comes, over the same fields as Hostside's index. */
const miniSearchRanker: Ranker = {
  name: "MiniSearch, defaults",
  build(servers) {
    const index = new MiniSearch({
      idField: "name",
      fields: ["name", "title", "description", "parameters", "context"],
    });
    for (const { id, group, tools } of servers) {
      index.addAll(
        tools.map((tool) => {
          const { parameters, ...document } = toSearchDocument(tool, `${id} ${group.title}`);
          return { ...document, parameters: parameters.join(" ") };
        }),
      );
    }
    return (query, limit) =>
      index
        .search(query)
        .slice(0, limit)
        .map(({ id }) => String(id));
  },
};

/** All that are measured. */
export const rankers: readonly Ranker[] = [hostsideRanker, miniSearchRanker, scoreTableRanker, substringRanker];

function flatten(servers: readonly ToolSetServer[]): ToolSetServer["tools"] {
  return servers.flatMap(({ tools }) => tools);
}

function wordsOf(query: string): readonly string[] {
  return query
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}

function best(scored: readonly { readonly name: string; readonly score: number }[], limit: number): readonly string[] {
  return scored
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1))
    .slice(0, limit)
    .map(({ name }) => name);
}
