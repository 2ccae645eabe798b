import type { JsonObject } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { describeChange } from "./describe-change.ts";

const tool = (name: string, description: string): JsonObject => ({
  name,
  description,
  inputSchema: { type: "object", properties: { a: { enum: ["x", "y"] } } },
});

describe("describeChange()", () => {
  it("says nothing where nothing differs but the order of members", () => {
    const other = {
      inputSchema: { properties: { a: { enum: ["x", "y"] } }, type: "object" },
      description: "",
      name: "a",
    };
    expect(describeChange([tool("a", "")], [other], "then")).toBeUndefined();
  });

  it("names the tools where others are listed, or in another order", () => {
    const [a, b] = [tool("a", ""), tool("b", "")];
    expect(describeChange([a, b], [b, a], "then")).toBe('first "a", "b"; then "b", "a"');
    expect(describeChange([a], [], "then")).toBe('first "a"; then no tools');
  });

  it("names the member of the definition that differs, and shows where", () => {
    const long = "Formats that are known by name: ";
    expect(describeChange([tool("a", `${long}ANSIC`)], [tool("a", `${long}RFC1123`)], "then")).toBe(
      '"a", description: first … are known by name: ANSIC"; then … are known by name: RFC1123"',
    );
    const other = { ...tool("a", ""), inputSchema: { type: "object", properties: { a: { enum: ["x", "z"] } } } };
    expect(describeChange([tool("a", "")], [other], "after a restart")).toBe(
      '"a", inputSchema: first …:{"a":{"enum":["x","y"]}},"type":"object"}; after a restart …:{"a":{"enum":["x","z"]}},"type":"object"}',
    );
    expect(describeChange([{ name: "a" }], [{ name: "a", title: "A" }], "then")).toBe(
      '"a", title: first nothing; then "A"',
    );
  });
});
