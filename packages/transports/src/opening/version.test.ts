import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { version } from "./connection-context.ts";

it("is that of package.json; a release has to change both", () => {
  const file = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  expect(JSON.parse(file)).toMatchObject({ version });
});
