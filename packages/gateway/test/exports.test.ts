import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

describe("@hostside/gateway", () => {
  it("exports exactly these values", async () => {
    expect(Object.keys(await import("@hostside/gateway")).sort()).toEqual(["createGateway", "gatewayLimits"]);
    expect(Object.keys(await import("@hostside/gateway/node")).sort()).toEqual(["listen", "serveStdio"]);
  });

  it("has exactly these entry points", () => {
    const { exports } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
    expect(Object.keys(exports)).toEqual([".", "./node", "./package.json"]);
  });
});
