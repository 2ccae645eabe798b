import { adaptSchema, type AdaptedSchema, type SchemaProfile } from "@hostside/adapters";
import type { JsonObject } from "@hostside/core";
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { profiles } from "./all-profiles.ts";
import { findRefusals } from "./find-refusals.ts";

const page = new URL("../../../docs/reference/schema-profiles.md", import.meta.url);
const [begin, end] = [
  "<!-- from here to the end mark: made by packages/adapters/test/schema-profiles.test.ts -->",
  "<!-- end -->",
];

interface RecordedTool {
  readonly name: string;
  readonly inputSchema: JsonObject;
}

const servers = ["search/recorded/", "schemas/"].flatMap((folder) => {
  const recorded = new URL(`../../../bench/data/${folder}`, import.meta.url);
  return readdirSync(recorded).map((file): readonly RecordedTool[] => {
    const server: { readonly tools: readonly RecordedTool[] } = JSON.parse(
      readFileSync(new URL(file, recorded), "utf8"),
    );
    return server.tools;
  });
});
const tools = servers.flat();
const results = new Map(profiles.map((profile) => [profile, tools.map((tool) => runThrough(tool, profile))] as const));

type Run = ReturnType<typeof adaptSchema>;

function runThrough({ inputSchema }: RecordedTool, profile: SchemaProfile): Run {
  return adaptSchema(inputSchema, profile);
}

function adaptedOf(profile: SchemaProfile): readonly AdaptedSchema[] {
  return (results.get(profile) ?? []).filter((adapted) => adapted.ok);
}

describe("the recorded tools of published servers", () => {
  it.each(profiles)("are taken by $id once they are adapted, and unchanged where they were taken before", (profile) => {
    expect(adaptedOf(profile)).toHaveLength(tools.length);
    for (const [at, { schema, changes }] of adaptedOf(profile).entries()) {
      expect(findRefusals(schema, profile)).toEqual([]);
      expect(schema === tools[at]?.inputSchema).toBe(changes.length === 0);
    }
  });

  it("are on the page of schema profiles as they are", async () => {
    const text = readFileSync(page, "utf8");
    const [before = "", rest = ""] = text.split(begin);
    const [, after = ""] = rest.split(end);
    // To write it again: npx vitest run packages/adapters/test/schema-profiles.test.ts --update
    await expect(`${before}${begin}\n\n${writeTables()}\n${end}${after}`).toMatchFileSnapshot(page.pathname);
  });
});

function writeTables(): string {
  const rows = profiles.map((profile) => {
    const changed = adaptedOf(profile).filter(({ changes }) => changes.length > 0);
    return `| \`${profile.id}\` | ${changed.length} | ${count(changed.flatMap(({ changes }) => changes))} |`;
  });
  const rules = profiles.flatMap(({ id, ...all }) =>
    Object.entries(all).map(([name, value]) => {
      const text = value instanceof RegExp ? value.source : JSON.stringify(value).replaceAll('"', "");
      return `| \`${id}\` | ${name} | \`${text}\` |`;
    }),
  );
  return [
    `${tools.length} tools of ${servers.length} servers.`,
    "",
    "| profile | tools changed | what was done, and to how many tools |",
    "|---|---|---|",
    ...rows,
    "",
    "### All rules",
    "",
    "| profile | rule | value |",
    "|---|---|---|",
    ...rules,
    "",
  ].join("\n");
}

function count(words: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const sorted = Array.from(counts).sort(([a, many], [b, few]) => few - many || (a < b ? -1 : 1));
  return sorted.length === 0 ? "nothing" : sorted.map(([word, many]) => `${word} (${many})`).join(", ");
}
