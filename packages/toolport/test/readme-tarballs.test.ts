import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

function read(path: string): string {
  return readFileSync(new URL(path, import.meta.url), "utf8");
}

it("the README hands npm the tarballs of all layers, which are those that an installation of toolport needs", () => {
  const readme = read("../../../README.md");
  expect(readme).toContain("hand `npm install` those of layers 0 to 4 in one command");
  const inLayers = Array.from(readme.matchAll(/^\| [0-4] \| \[`(?:@toolport\/)?([^`]+)`\]/gm), ([, name]) => name);
  const { dependencies } = JSON.parse(read("../package.json")) as { readonly dependencies: Record<string, string> };
  const needed = Object.keys(dependencies).flatMap((name) => /^@toolport\/(.*)/.exec(name)?.[1] ?? []);
  expect(new Set(inLayers)).toEqual(new Set(["toolport", ...needed]));
});
