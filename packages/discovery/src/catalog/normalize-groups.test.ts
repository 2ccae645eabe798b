import fc from "fast-check";
import type { ToolGroup } from "@hostside/core";
import { foldCase } from "@hostside/core/implement";
import { describe, expect, it } from "vitest";
import { test } from "../../../../test/property-test.ts";
import { normalizeGroups } from "./normalize-groups.ts";

const keep = (name: string): string => name;
const group = (id: string, members: readonly string[], title: string = id): ToolGroup => ({
  id,
  title,
  description: "",
  members,
});

describe("normalizeGroups()", () => {
  it("merges equal ids, drops blank ids and empty groups, and sorts", () => {
    const declared = [
      group("b", ["2", "1", "2"]),
      group("  ", ["1"]),
      group("a", []),
      group(" B ", ["0"], "later"),
      group("A2", ["1"]),
    ];
    expect(normalizeGroups(declared.map((entry) => ({ group: entry, nameOf: keep })))).toEqual([
      { id: "A2", title: "A2", description: "", members: ["1"] },
      { id: "b", title: "b", description: "", members: ["0", "1", "2"] },
    ]);
  });

  it("leaves out blank instructions and trims others", () => {
    const [first, second] = normalizeGroups(
      ["  ", " use me "].map((instructions, index) => ({
        group: { ...group(`g${index}`, ["a"]), instructions },
        nameOf: keep,
      })),
    );
    expect(first).not.toHaveProperty("instructions");
    expect(second?.instructions).toBe("use me");
  });

  const names = fc.constantFrom("a", "A", "b", "c", "stale");
  test.prop([fc.array(fc.tuple(fc.constantFrom("g", " G", "h", "", "__proto__"), fc.array(names)))])(
    "lists every member that is there, once, under the first group of each id, whatever comes in",
    (entries) => {
      const nameOf = (name: string): string | undefined => (name === "stale" ? undefined : foldCase(name));
      const result = normalizeGroups(entries.map(([id, members]) => ({ group: group(id, members), nameOf })));
      const ids = result.map(({ id }) => foldCase(id));
      expect(ids).toEqual([...new Set(ids)].sort());
      for (const { id, members } of result) {
        const wanted = entries.filter(([other]) => foldCase(other.trim()) === foldCase(id)).flatMap(([, all]) => all);
        expect(members).toEqual([...new Set(wanted.flatMap((name) => nameOf(name) ?? []))].sort());
        expect(members).not.toEqual([]);
      }
    },
  );
});
