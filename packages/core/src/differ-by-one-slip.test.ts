import { describe, expect, it } from "vitest";
import { differByOneSlip } from "./find-meant.ts";

describe("differByOneSlip()", () => {
  it.each([
    ["echo", "ecko"],
    ["echo", "eho"],
    ["echo", "echoo"],
    ["echo", "ehco"],
    ["a", ""],
  ])("is true of %j and %j", (one, other) => {
    expect([differByOneSlip(one, other), differByOneSlip(other, one)]).toEqual([true, true]);
  });

  it.each([
    ["echo", "echo"],
    ["echo", "ekko2"],
    ["echo", "oche"],
    ["", ""],
    ["ab", "cd"],
  ])("is false of %j and %j", (one, other) => {
    expect([differByOneSlip(one, other), differByOneSlip(other, one)]).toEqual([false, false]);
  });
});
