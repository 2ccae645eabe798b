import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { listedSchema } from "./listed-schema.ts";
import { listedServers } from "./listed-servers.ts";
import { schemaServers } from "./schema-servers.ts";
import { readPublishedSet } from "./tool-set.ts";

describe("published servers", () => {
  it("are at least sixty, and none of them twice", () => {
    const servers = readPublishedSet();
    expect(servers.length).toBeGreaterThanOrEqual(60);
    expect(new Set(servers.map(({ id }) => id)).size).toBe(servers.length);
    expect(servers.every(({ tools }) => tools.length > 0)).toBe(true);
  });

  it.each([...schemaServers, ...listedServers])("$id is kept at the version that is named", (server) => {
    const text = readFileSync(new URL(`../../data/search/listed/${server.id}.json`, import.meta.url), "utf8");
    const { package: name, version, license } = JSON.parse(text);
    expect([name, version]).toEqual([server.package, server.version]);
    expect(["MIT", "ISC", "Apache-2.0"]).toContain(license);
  });
});

describe("listedSchema", () => {
  it("keeps names, types, texts and values of the parameters, and no texts of what is inside of them", () => {
    const inner = { type: "string", description: "Inside.", pattern: "x" };
    const schema = {
      type: "object",
      required: ["a"],
      additionalProperties: false,
      properties: {
        a: { type: "string", description: "A text.", enum: ["x", "y"], minLength: 1 },
        b: { type: "object", properties: { c: inner } },
        d: { type: "array", items: { type: "string", description: "One." } },
      },
    };
    expect(JSON.parse(JSON.stringify(listedSchema(schema)))).toEqual({
      type: "object",
      required: ["a"],
      properties: {
        a: { type: "string", description: "A text.", enum: ["x", "y"] },
        b: { type: "object", properties: { c: { type: "string" } } },
        d: { type: "array", items: { type: "string" } },
      },
    });
  });

  it("takes anything for a schema", () => {
    for (const odd of [null, undefined, true, "x", []]) expect(listedSchema(odd)).toEqual({});
  });
});
