import { expect, it } from "vitest";
import { readVersioned, writeVersioned } from "./store.ts";

const pins = { what: "the pins", version: 2 } as const;

it("reads what was written, and nothing where nothing is", () => {
  expect(readVersioned(JSON.parse(JSON.stringify(writeVersioned([1, { a: null }], pins))), pins)).toEqual([
    1,
    { a: null },
  ]);
  expect(readVersioned(writeVersioned(null, pins), pins)).toBeNull();
  for (const nothing of [undefined, null]) expect(readVersioned(nothing, pins)).toBeUndefined();
});

it.each([
  { stored: { version: 3, value: [] }, message: "the pins were written by a later version of Hostside (format 3" },
  { stored: { version: 1, value: [] }, message: "of the pins is of format 1, which is not known" },
  { stored: { version: 2 }, message: "not what was kept there" },
  { stored: { version: "2", value: 1 }, message: "not what was kept there" },
  { stored: [1], message: "not what was kept there" },
  { stored: "text", message: "not what was kept there" },
])("refuses $stored with store_failed, for good", ({ stored, message }) => {
  expect(() => readVersioned(stored, pins)).toThrow(
    expect.objectContaining({ code: "store_failed", retryable: false, message: expect.stringContaining(message) }),
  );
});
