import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import * as transports from "../src/index.ts";

it("exports these values and no others", () => {
  expect(Object.keys(transports).toSorted()).toEqual([
    "connect",
    "createConnector",
    "createEraCache",
    "finishAuthorization",
  ]);
});

it("has these entries and no others", () => {
  const file = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  expect(Object.keys(JSON.parse(file).exports)).toEqual([".", "./package.json"]);
});
