import fc from "fast-check";
import { expect, it } from "vitest";
import { utf8Length } from "./text.ts";

it("counts what an encoder would make", () => {
  const texts = fc.oneof(fc.string({ unit: "binary" }), fc.array(fc.constantFrom("\uD800", "\uDC00", "é", "x", "€")));
  fc.assert(
    fc.property(texts, (given) => {
      const text = Array.isArray(given) ? given.join("") : given;
      expect(utf8Length(text)).toBe(new TextEncoder().encode(text).length);
    }),
  );
});
