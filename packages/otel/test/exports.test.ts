import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

it("exports exactly these values", async () => {
  expect(Object.keys(await import("@hostside/otel")).sort()).toEqual(["createServerTelemetry", "createTelemetry"]);
  expect(Object.keys(await import("@hostside/otel/log")).sort()).toEqual(["createCallLog"]);
});

it("has these entries, and needs nothing beside core and the API of OpenTelemetry", () => {
  const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as Record<
    string,
    object
  >;
  expect(Object.keys(manifest["exports"] ?? {})).toEqual([".", "./log", "./package.json"]);
  // A copy of the API that is newer than the product's would get nothing.
  expect(manifest["dependencies"]).toEqual({ "@hostside/core": "workspace:^", "@opentelemetry/api": "~1.9.0" });
  expect(manifest).not.toHaveProperty("peerDependencies");
});
