import {
  adaptSchema,
  anthropicStrict,
  openaiStrict,
  type AdaptedSchema,
  type ProfileRule,
  type SchemaProfile,
} from "@hostside/adapters";
import { transformJSONSchema } from "@anthropic-ai/sdk/lib/transform-json-schema";
import type { JsonObject, JsonValue } from "@hostside/core";
import { canonicalJson, isJsonObject } from "@hostside/core/implement";
import { readdirSync, readFileSync } from "node:fs";
import { toStrictJsonSchema } from "openai/lib/transform";
import { describe, expect, it } from "vitest";
import { findSchemaRefusals } from "../src/schema/find-refusals.ts";
import { profiles } from "./all-profiles.ts";

const page = new URL("../../../docs/schema-profiles.md", import.meta.url);
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

interface Run {
  readonly refusals: readonly string[];
  readonly adapted: ReturnType<typeof adaptSchema>;
}

function runThrough({ inputSchema }: RecordedTool, profile: SchemaProfile): Run {
  return { refusals: findSchemaRefusals(inputSchema, profile.schema), adapted: adaptSchema(inputSchema, profile) };
}

function runsOf(profile: SchemaProfile): readonly Run[] {
  return results.get(profile) ?? [];
}

function adaptedOf(profile: SchemaProfile): readonly AdaptedSchema[] {
  return runsOf(profile).flatMap(({ adapted }) => (adapted.ok ? [adapted] : []));
}

describe("the recorded tools of published servers", () => {
  it.each(profiles)("are taken by $id once they are adapted, or left out with a reason", (profile) => {
    for (const { schema } of adaptedOf(profile)) expect(findSchemaRefusals(schema, profile.schema)).toEqual([]);
    // Without strict mode, nothing is left out.
    const unfit = runsOf(profile).filter(({ adapted }) => !adapted.ok);
    expect(profile.enforced || unfit.length === 0).toBe(true);
  });

  it("are as OpenAI's own package wants them in strict mode, to the letter: one in three of them", () => {
    for (const { schema } of adaptedOf(openaiStrict).filter((_, at) => at % 3 === 0)) {
      expect(canonicalJson(toStrictJsonSchema(schema) as JsonValue)).toBe(canonicalJson(schema));
    }
  });

  it("are as Anthropic's own package wants them in strict mode, with nothing left to say in a description", () => {
    for (const { schema } of adaptedOf(anthropicStrict)) {
      expect(canonicalJson(transformJSONSchema(schema as never) as JsonValue)).toBe(
        canonicalJson(withoutTypesOfLiterals(schema)),
      );
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

// The helper leaves the type out where values are listed, and beside parts.
function withoutTypesOfLiterals(schema: JsonObject): JsonObject {
  const members = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
    if (keyword === "properties" && isJsonObject(value)) {
      return [
        keyword,
        Object.fromEntries(
          Object.entries(value).map(([name, one]) => [name, isJsonObject(one) ? withoutTypesOfLiterals(one) : one]),
        ),
      ];
    }
    if (keyword === "items" && isJsonObject(value)) return [keyword, withoutTypesOfLiterals(value)];
    if ((keyword === "anyOf" || keyword === "allOf") && Array.isArray(value))
      return [keyword, value.map((one: JsonObject) => withoutTypesOfLiterals(one))];
    return [keyword, value];
  });
  const literal = "enum" in schema || "const" in schema;
  const union = "anyOf" in schema || "allOf" in schema;
  return Object.fromEntries(members.filter(([keyword]) => !(keyword === "type" && (literal || union)))) as JsonObject;
}

function writeTables(): string {
  const rows = profiles.map((profile) => {
    const runs = runsOf(profile);
    const kinds = ["same", "less", "more", "other"] as const;
    const counts = kinds.map(
      (kind) =>
        runs.filter(({ adapted, refusals }) => refusals.length > 0 && adapted.ok && adapted.accepts === kind).length,
    );
    const refused = runs.filter(({ refusals }) => refusals.length > 0).length;
    return `| ${[`\`${profile.id}\``, refused, ...counts, runs.filter(({ adapted }) => !adapted.ok).length].join(" | ")} |`;
  });
  const sections = profiles.map((profile) => {
    const runs = runsOf(profile);
    const changes = runs.flatMap(({ adapted }) => (adapted.ok ? adapted.changes : []));
    const reasons = runs.flatMap(({ adapted }) => (adapted.ok ? [] : [adapted.reason]));
    return [
      `### \`${profile.id}\``,
      "",
      `- Refused: ${count(runs.flatMap(({ refusals }) => refusals))}`,
      `- Done: ${count(changes)}`,
      ...(reasons.length > 0 ? [`- Left out: ${count(reasons)}`] : []),
      "",
    ].join("\n");
  });
  const rules = profiles.flatMap(({ id, names, maxDescriptionLength, maxTools, strictTotals, schema }) => {
    const { refused, ...others } = schema;
    const named = { names, maxDescriptionLength, maxTools, strictTotals, ...others };
    const known = Object.entries(named).flatMap(([name, rule]) =>
      rule === undefined ? [] : [writeRule(id, name, rule)],
    );
    return [...known, ...refused.map((rule) => writeRule(id, "refused", rule))];
  });
  return [
    `${tools.length} tools of ${servers.length} servers.`,
    "",
    "| profile | refused as they are | same | less | more | other | left out |",
    "|---|---|---|---|---|---|---|",
    ...rows,
    "",
    ...sections,
    "### All rules",
    "",
    "| profile | rule | value | certainty | source |",
    "|---|---|---|---|---|",
    ...rules,
    "",
  ].join("\n");
}

function writeRule(id: string, name: string, { value, certainty, source }: ProfileRule<unknown>): string {
  return `| \`${id}\` | ${name} | \`${JSON.stringify(value).replaceAll('"', "")}\` | ${certainty} | ${source.replaceAll("|", "or")} |`;
}

function count(words: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const sorted = Array.from(counts).sort(([a, many], [b, few]) => few - many || (a < b ? -1 : 1));
  return sorted.length === 0 ? "nothing" : sorted.map(([word, many]) => `${word} (${many})`).join(", ");
}
