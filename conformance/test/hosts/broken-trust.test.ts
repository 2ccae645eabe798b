import { describe, expect, it } from "vitest";
import { brokenTrust } from "./broken-trust.ts";
import { playBrokenHost } from "./play-broken-host.ts";

describe("each host that is wrong about trust fails the scenarios that it should, and no others", () => {
  it.concurrent.each(brokenTrust)("$id, which $wrong", { timeout: 180_000 }, async (broken) => {
    const { failed, unjudged } = await playBrokenHost(broken);
    expect(failed).toEqual(broken.fails.toSorted());
    expect(unjudged).toEqual([]);
  });
});
