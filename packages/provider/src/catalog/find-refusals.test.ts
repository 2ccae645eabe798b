import type { JsonObject } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { findModelApiRefusals } from "./find-refusals.ts";

const object = (properties: JsonObject): JsonObject => ({ type: "object", properties });

describe("findRefusals()", () => {
  const cases: readonly (readonly [string, JsonObject, readonly string[]])[] = [
    ["a plain one", object({ a: { type: "array", items: {} } }), []],
    ["one that says nothing", {}, ["no `type` (OpenAI, Anthropic)"]],
    ["no properties, which every adapter adds", { type: "object" }, []],
    ["properties that are a list", { type: "object", properties: [] }, ["`properties` that are none (all)"]],
    ["a boolean property", object({ a: true }), ["`true` or `false` as a schema (several)"]],
    ["boolean items", object({ a: { type: "array", items: true } }), ["`true` or `false` as a schema (several)"]],
    ["what is closed", { ...object({}), additionalProperties: false }, []],
    ["a text", { type: "string", properties: {} }, ['a `type` that is not "object" (OpenAI, Anthropic, Gemini)']],
    ["a choice", { ...object({}), oneOf: [] }, ["`oneOf` at the top (OpenAI, Anthropic)"]],
    ["an enum", { ...object({}), enum: [] }, ["`enum` at the top (OpenAI)"]],
    ["a choice further down", object({ a: { anyOf: [{ type: "string" }] } }), []],
    ["an array of anything", object({ a: { type: "array" } }), ["an array without `items` (OpenAI, Gemini)"]],
    [
      "one in a choice in a definition",
      { ...object({}), $defs: { d: { anyOf: [{ type: ["array", "null"] }] } } },
      ["an array without `items` (OpenAI, Gemini)"],
    ],
    ["a property called like a keyword", object({ items: { type: "string" }, type: { type: "string" } }), []],
  ];
  it.each(cases)("says what is refused, and by whom: %s", (_, schema, refusals) => {
    expect(findModelApiRefusals(schema)).toEqual(refusals);
  });

  it("ends with a schema that holds itself", () => {
    const round: { type: string; properties: { self?: JsonObject } } = { type: "object", properties: {} };
    round.properties.self = round;
    expect(findModelApiRefusals(round)).toEqual([]);
  });
});
