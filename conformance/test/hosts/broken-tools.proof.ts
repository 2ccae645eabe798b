import { describe, expect, it } from "vitest";
import { sampled } from "../../../test/sampled.ts";
import { brokenTools } from "./broken-tools.ts";
import { playBrokenHost } from "./play-broken-host.ts";

describe("each host that is wrong about listings, names and registrations fails the scenarios that it should, and no others", () => {
  it.concurrent.each(sampled(brokenTools))("$id, which $wrong", { timeout: 180_000 }, async (broken) => {
    const { failed, unjudged } = await playBrokenHost(broken);
    expect(failed).toEqual(broken.fails.toSorted());
    expect(unjudged).toEqual([]);
  });
});
