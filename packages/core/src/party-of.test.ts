import { expect, it } from "vitest";
import { partyOf } from "./party-of.ts";

it("is the conversation, or the principal where there is none", () => {
  expect([{ conversation: "c", principal: "p" }, { principal: "p" }, { role: "r" }, undefined].map(partyOf)).toEqual([
    "c",
    "p",
    undefined,
    undefined,
  ]);
});
