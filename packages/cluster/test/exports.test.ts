import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

describe("@hostside/cluster", () => {
  it("exports exactly these values", async () => {
    expect(Object.keys(await import("@hostside/cluster")).sort()).toEqual([
      "createKeptCatalog",
      "createSharedProviders",
    ]);
  });

  it("exports exactly these values for states that replicas share", async () => {
    expect(Object.keys(await import("@hostside/cluster/redis"))).toEqual(["createRedisState"]);
    expect(Object.keys(await import("@hostside/cluster/postgres")).sort()).toEqual([
      "createPostgresState",
      "postgresTables",
    ]);
  });

  it("has exactly these entry points", () => {
    const { exports } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
    expect(Object.keys(exports)).toEqual([".", "./redis", "./postgres", "./package.json"]);
  });
});
