import fc from "fast-check";
import { expect, it } from "vitest";
import { hasMoreMembers } from "./count-members.ts";

it("counts the members of an array as a parser does, whatever is in them", () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue(), { maxLength: 12 }), fc.integer({ min: 1, max: 12 }), (members, most) => {
      expect(hasMoreMembers(JSON.stringify(members), most)).toBe(members.length > most);
      expect(hasMoreMembers(JSON.stringify(members, null, 2), most)).toBe(members.length > most);
    }),
  );
  const tricky = ['a"b,', "\\", '\\",', "[{,"];
  expect([3, 4].map((most) => hasMoreMembers(JSON.stringify(tricky), most))).toEqual([true, false]);
});

it("comes to an end with what is no JSON", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(typeof hasMoreMembers(`[${text}`, 3)).toBe("boolean");
    }),
  );
});
