import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { defaultLimits, defaultTimeouts } from "../packages/core/src/index.ts";
import { gatewayLimits } from "../packages/gateway/src/settings/gateway-limits.ts";

const page = readFileSync(new URL("../docs/reference/limits.md", import.meta.url), "utf8");

describe("docs/reference/limits.md", () => {
  it("names every limit with its default", () => {
    expect(readTable("## Limits")).toEqual(new Map(Object.entries(defaultLimits)));
  });

  it("names every timeout with its default", () => {
    const timeouts = new Map<string, number | undefined>(Object.entries(defaultTimeouts));
    expect(readTable("## Timeouts")).toEqual(timeouts.set("callIdleMs", undefined));
  });
});

it("docs/reference/gateway.md names every limit of a gateway with its default", () => {
  const gateway = readFileSync(new URL("../docs/reference/gateway.md", import.meta.url), "utf8");
  const [, section = ""] = gateway.split("\n## Limits\n");
  const rows = section.matchAll(/^\| ([^|]*) \| ([\d, ]+) \|/gm);
  const limits = Array.from(rows, ([, names = "", values = ""]) => {
    const defaults = values.split(", ").map((value) => Number(value.replaceAll(",", "")));
    return Array.from(names.matchAll(/\w+/g), ([name], index) => [name, defaults[index]]);
  });
  expect(Object.fromEntries(limits.flat())).toEqual(gatewayLimits);
});

function readTable(heading: string): ReadonlyMap<string, number | undefined> {
  const [section = ""] = page.slice(page.indexOf(heading) + heading.length).split("\n## ");
  const rows = section.matchAll(/^\| `(\w+)` \| ([\d,]+|–) \|/gm);
  return new Map(
    Array.from(rows, ([, name = "", value = ""]) => [
      name,
      value === "–" ? undefined : Number(value.replaceAll(",", "")),
    ]),
  );
}
