import { describe, expect, it } from "vitest";
import { sampled } from "../../../test/sampled.ts";
import { brokenBetween } from "./broken-between.ts";
import type { BrokenHost } from "./broken-host.ts";
import { brokenResults } from "./broken-results.ts";
import { brokenTrust } from "./broken-trust.ts";
import { playBrokenHost } from "./play-broken-host.ts";

const all = sampled([...brokenResults, ...brokenTrust, ...brokenBetween]);
// It must have the time to unpack: nobody else is played meanwhile.
const alone = ["unpacks-everything"];
const isAlone = ({ id }: BrokenHost): boolean => alone.includes(id);

const options = { timeout: 180_000 };

async function play(broken: BrokenHost): Promise<void> {
  const { failed, unjudged } = await playBrokenHost(broken);
  expect(failed).toEqual(broken.fails.toSorted());
  expect(unjudged).toEqual([]);
}

describe("each host that is wrong about calls and trust fails the scenarios that it should, and no others", () => {
  it.each(all.filter(isAlone))("$id, which $wrong", options, play);
  it.concurrent.each(all.filter((broken) => !isAlone(broken)))("$id, which $wrong", options, play);
});
