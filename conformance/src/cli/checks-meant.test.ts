import { expect, it } from "vitest";
import { checksMeant } from "./select-checks.ts";

const ids = ["stdio/stdout-purity", "stdio/exit-on-close", "http/stdout-purity", "tools/names"];

it.each([
  ["stdio/stdout-purty", '; did you mean "stdio/stdout-purity"?'],
  ["stdout-purity", '; did you mean "stdio/stdout-purity" or "http/stdout-purity"?'],
  ["stdoi", '; did you mean "stdio"?'],
  ["Tools/Names", '; did you mean "tools/names"?'],
  ["nothing/like-it", "; --list shows them all"],
  ["", "; --list shows them all"],
])("says for %j what may be meant", (wanted, expected) => {
  expect(checksMeant(wanted, ids)).toBe(expected);
});
