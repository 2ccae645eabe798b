import { describe, expect, it } from "vitest";
import { brokenBetween } from "./broken-between.ts";
import { brokenResults } from "./broken-results.ts";
import { brokenTrust } from "./broken-trust.ts";
import { playBrokenHost } from "./play-broken-host.ts";

describe("each host that is wrong about calls and trust fails the scenarios that it should, and no others", () => {
  it.concurrent.each([...brokenResults, ...brokenTrust, ...brokenBetween])(
    "$id, which $wrong",
    { timeout: 180_000 },
    async (broken) => {
      const { failed, unjudged } = await playBrokenHost(broken);
      expect(failed).toEqual(broken.fails.toSorted());
      expect(unjudged).toEqual([]);
    },
  );
});
