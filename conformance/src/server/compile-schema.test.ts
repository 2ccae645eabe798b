import type { JsonObject } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { cpuSecondsOf } from "../../../test/cpu-seconds.ts";
import { createSchemaCompiler } from "./compile-schema.ts";

describe("createSchemaCompiler()", () => {
  const compileSchema = createSchemaCompiler();

  it.each<[string, JsonObject, string | undefined]>([
    ["2020-12 by default", { type: "array", prefixItems: [{ type: "string" }] }, undefined],
    ["draft-07", { $schema: "http://json-schema.org/draft-07/schema#", definitions: {} }, undefined],
    ["2019-09", { $schema: "https://json-schema.org/draft/2019-09/schema", type: "object" }, undefined],
    ["a reference to the network, without following it", { $ref: "https://example.com/x.json" }, undefined],
    ["another dialect", { $schema: "http://json-schema.org/draft-04/schema#" }, "unknown dialect"],
    ["a dialect that is no text", { $schema: 7 }, "unknown dialect"],
    ["a type that does not exist", { type: "text" }, "type"],
    ["a reference to nowhere", { $ref: "#/$defs/missing" }, "can't resolve reference"],
    ["a pattern that is none", { pattern: "(" }, "Invalid regular expression"],
    ["too much", { description: "x".repeat(200_000) }, "larger than"],
  ])("compiles or refuses %s", (_, schema, reason) => {
    const compiled = compileSchema(schema);
    expect(compiled.ok ? "" : compiled.reason).toContain(reason ?? "");
    expect(compiled.ok).toBe(reason === undefined);
  });

  it("says what is wrong with a value", () => {
    const compiled = compileSchema({ type: "object", properties: { a: { type: "number" } }, required: ["b"] });
    expect(compiled.ok && compiled.validate({ a: "1" })).toEqual([
      "(root) must have required property 'b'",
      "/a must be number",
    ]);
  });

  it("compiles two schemas of one $id, as two tools may have them", () => {
    const schema = { $id: "https://example.com/args", type: "object" };
    expect(compileSchema(schema).ok).toBe(true);
    expect(compileSchema({ ...schema, properties: {} }).ok).toBe(true);
  });

  it("compiles hundreds of schemas in a moment, because nothing else runs meanwhile", async () => {
    const compileAll = (): void => {
      for (let n = 0; n < 300; n += 1) compileSchema({ type: "object", properties: { [`p${n}`]: { type: "string" } } });
    };
    expect(await cpuSecondsOf(compileAll)).toBeLessThan(15);
  });
});
