import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

function read(path: string): string {
  return readFileSync(new URL(path, import.meta.url), "utf8");
}

it("the README names every tarball that an installation of toolport needs", () => {
  const [, named = ""] = /hand `npm install` those of (.*?) in one command/s.exec(read("../../../README.md")) ?? [];
  const { dependencies } = JSON.parse(read("../package.json")) as { readonly dependencies: Record<string, string> };
  const needed = Object.keys(dependencies).flatMap((name) => /^@toolport\/(.*)/.exec(name)?.[1] ?? []);
  const names = Array.from(named.matchAll(/`([^`]+)`/g), ([, name]) => name);
  expect(new Set(names)).toEqual(new Set(["toolport", ...needed]));
});
