import { describe, expect, it } from "vitest";
import type { NameRules } from "../schema/schema-profile.ts";
import { assignDeclaredNames } from "./assign-declared-names.ts";

const dashes: NameRules = { maxLength: 64, characters: "dashes", startsWithLetter: true };
const identifier: NameRules = { ...dashes, characters: "identifier" };

describe("assignDeclaredNames()", () => {
  it("leaves a legal name as it is, whatever else is declared", () => {
    expect(assignDeclaredNames(["a_b", "a-b", "A_b2"], identifier)).toEqual(["a_b", "a_b_44cb3a9b", "A_b2"]);
    expect(assignDeclaredNames(["a-b", "a_b"], dashes)).toEqual(["a-b", "a_b"]);
  });

  it("hashes all names that become alike, in any order the same, and none that does not (trap 11)", () => {
    expect(assignDeclaredNames(["a.b", "a-b", "c.d"], identifier)).toEqual(["a_b_cc178bc6", "a_b_44cb3a9b", "c_d"]);
    expect(assignDeclaredNames(["a-b", "a.b"], identifier)).toEqual(["a_b_44cb3a9b", "a_b_cc178bc6"]);
    expect(new Set(assignDeclaredNames(["A.b", "a.B"], identifier).map((name) => name.toLowerCase())).size).toBe(2);
  });

  it("never cuts a name without a hash of the whole", () => {
    const [one = "", two = ""] = assignDeclaredNames(["x".repeat(70), `${"x".repeat(69)}y`], dashes);
    expect([one.length, two.length]).toEqual([64, 64]);
    expect(one).toMatch(/^x{55}_[0-9a-f]{8}$/);
    expect(two).not.toBe(one);
  });

  it("makes a legal name of any text", () => {
    const names = assignDeclaredNames(["", "1", "ü", "💥", "a b", "__proto__"], dashes);
    for (const name of names) expect(name).toMatch(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/);
    expect(new Set(names).size).toBe(6);
  });
});
