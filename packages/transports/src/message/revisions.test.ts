import { expect, it } from "vitest";
import { knownRevisions } from "./revisions.ts";

it("names the revisions that this host speaks, newest first", () => {
  const legacy = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"];
  expect(knownRevisions).toEqual(["2026-07-28", ...legacy]);
});
