import { describe, expect, it } from "vitest";
import { sampled } from "../../../test/sampled.ts";
import { brokenCalls } from "./broken-calls.ts";
import { playBrokenHost } from "./play-broken-host.ts";

describe("each host that is wrong about sessions and deadlines fails the scenarios that it should, and no others", () => {
  it.concurrent.each(sampled(brokenCalls))("$id, which $wrong", { timeout: 180_000 }, async (broken) => {
    const { failed, unjudged } = await playBrokenHost(broken);
    expect(failed).toEqual(broken.fails.toSorted());
    expect(unjudged).toEqual([]);
  });
});
