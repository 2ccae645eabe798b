import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
const { packages } = JSON.parse(read("layers.json")) as { packages: Readonly<Record<string, readonly string[]>> };
const rows = Array.from(read("README.md").matchAll(/^\| (\d) \| \[`([^`]+)`\]/gm), ([, layer, name = ""]) => ({
  name,
  layer: Number(layer),
}));

/**
 * One more than the highest that it may import; 0 for one that imports none. Folders in it may
 * import more, but no package.
 */
function layerOf(name: string): number {
  const imported = packages[name]?.filter((other) => packages[other] !== undefined) ?? [];
  return Math.max(0, ...imported.map((other) => layerOf(other) + 1));
}

describe("the table of packages in the root README", () => {
  it("has the layers that are enforced, from the lowest on", () => {
    expect(rows.length).toBeGreaterThan(12);
    expect(rows).toEqual(rows.map(({ name }) => ({ name, layer: layerOf(name) })));
    expect(rows.map(({ layer }) => layer)).toEqual(rows.map(({ layer }) => layer).toSorted((a, b) => a - b));
  });
});
