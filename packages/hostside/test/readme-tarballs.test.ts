import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

function read(path: string): string {
  return readFileSync(new URL(path, import.meta.url), "utf8");
}

it("the README packs what an installation of hostside needs, which is what its table has in the layers", () => {
  const readme = read("../../../README.md");
  expect(readme).toContain('--filter-prod "hostside..." pack --pack-destination <folder>');
  const inLayers = Array.from(readme.matchAll(/^\| [0-4] \| \[`(?:@hostside\/)?([^`]+)`\]/gm), ([, name]) => name);
  const { dependencies } = JSON.parse(read("../package.json")) as { readonly dependencies: Record<string, string> };
  const needed = Object.keys(dependencies).flatMap((name) => /^@hostside\/(.*)/.exec(name)?.[1] ?? []);
  expect(new Set(inLayers)).toEqual(new Set(["hostside", ...needed]));
});
