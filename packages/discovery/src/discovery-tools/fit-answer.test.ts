import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { test } from "../../../../test/property-test.ts";
import { estimateTokens } from "../tokens/token-counter.ts";
import type { GroupAnswer, ToolAnswer } from "./answers.ts";
import { fitAnswer, jsonBytes, limitBytes } from "./fit-answer.ts";

const toolAnswer = fc.record({
  name: fc.string({ maxLength: 64 }),
  description: fc.string({ unit: "grapheme", maxLength: 3000 }),
});
const groupAnswer = fc.record({
  id: fc.string({ maxLength: 64 }),
  title: fc.string({ maxLength: 64 }),
  description: fc.string({ maxLength: 300 }),
  member_count: fc.nat(),
  members: fc.array(fc.string({ maxLength: 64 }), { maxLength: 60 }),
  instructions: fc.string({ maxLength: 4096 }),
});
const unique = <T extends { readonly name: string }>(tools: readonly T[]): readonly T[] =>
  Array.from(new Map(tools.map((tool) => [tool.name, tool])).values());

describe("fitAnswer()", () => {
  test.prop([
    fc.array(toolAnswer, { maxLength: 30 }),
    fc.array(groupAnswer, { maxLength: 8 }),
    fc.integer({ min: 3584, max: 40_000 }),
  ])("stays within its bytes and loses no tool and no group silently", (given, groups, maxBytes) => {
    const tools = unique(given);
    const fitted = fitAnswer({ tools, groups }, limitBytes(maxBytes));
    expect(jsonBytes(fitted)).toBeLessThanOrEqual(maxBytes);
    expect(fitted.tools.length + (fitted.omittedTools?.total ?? 0)).toBe(tools.length);
    expect(fitted.groups.length + (fitted.omittedGroups?.total ?? 0)).toBe(groups.length);
    const namesFit = jsonBytes(tools.map(({ name }) => name)) < maxBytes / 2 - 512;
    if (namesFit) expect(fitted.omittedTools?.names.length ?? 0).toBe(fitted.omittedTools?.total ?? 0);
  });

  it("keeps the room of names for names when a tool does not fit", () => {
    const tools = Array.from({ length: 30 }, (_, index) => ({
      name: `n${index}`.padEnd(64, "x"),
      description: "d".repeat(2900),
    }));
    const fitted = fitAnswer({ tools, groups: [] }, limitBytes(4096));
    expect(jsonBytes(fitted)).toBeLessThanOrEqual(4096);
    expect(fitted.omittedTools?.names).toEqual(tools.map(({ name }) => name));
  });

  it("gives up a group's members, then its advice, before the group", () => {
    const group: GroupAnswer = {
      id: "g",
      title: "G",
      description: "",
      member_count: 2,
      instructions: "i".repeat(1000),
      members: ["m".repeat(1000)],
    };
    const at = (maxBytes: number): GroupAnswer | undefined =>
      fitAnswer({ tools: [], groups: [group] }, limitBytes(maxBytes)).groups[0];
    expect(at(4000)).toEqual(group);
    expect(at(2000)).toEqual({ ...group, members: [] });
    expect(at(1000)).toEqual({ id: "g", title: "G", description: "", member_count: 2, members: [] });
    expect(at(520)).toBeUndefined();
  });

  it("counts tools whose names alone are too much", () => {
    const tools: ToolAnswer[] = Array.from({ length: 1000 }, (_, index) => ({
      name: `n${index}`.padEnd(64, "x"),
      description: "",
    }));
    const { omittedTools, tools: shown } = fitAnswer({ tools, groups: [] }, limitBytes(8000));
    expect(shown.length + (omittedTools?.total ?? 0)).toBe(1000);
    expect(shown.length).toBeGreaterThan(10);
    expect(omittedTools?.names.length).toBeLessThan(omittedTools?.total ?? 0);
  });

  test.prop([
    fc.array(toolAnswer, { maxLength: 30 }),
    fc.array(groupAnswer, { maxLength: 8 }),
    fc.integer({ min: 300, max: 4000 }),
  ])("stays within its tokens as well, and loses nothing silently", (given, groups, maxTokens) => {
    const tools = unique(given);
    const fitted = fitAnswer({ tools, groups }, limitBytes(200_000, maxTokens));
    expect(estimateTokens(JSON.stringify(fitted))).toBeLessThanOrEqual(maxTokens);
    expect(fitted.tools.length + (fitted.omittedTools?.total ?? 0)).toBe(tools.length);
    expect(fitted.groups.length + (fitted.omittedGroups?.total ?? 0)).toBe(groups.length);
  });
});
