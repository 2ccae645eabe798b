import { describe, expect, it } from "vitest";
import { isPossibleName, hostsideNaming, verbatimNaming } from "./naming-strategy.ts";

describe("isPossibleName()", () => {
  it("goes by what the names of a server start with, in any case", () => {
    for (const name of ["mcp_http_echo", "MCP_HTTP_echo", "mcp_http_", "mcp_http_echo_0123abcd"]) {
      expect(isPossibleName(name, "http", hostsideNaming)).toBe(true);
    }
    for (const name of ["mcp_https_echo", "mcp_htt_echo", "mcp_http", "echo", "", "mcp_zzz_echo_0123abcd"]) {
      expect(isPossibleName(name, "http", hostsideNaming)).toBe(false);
    }
  });

  it("takes what a hash may have left of a name", () => {
    const long = "s".repeat(80);
    expect(isPossibleName(`mcp_${"s".repeat(51)}_0123abcd`, long, hostsideNaming)).toBe(true);
    expect(isPossibleName(`mcp_${"t".repeat(51)}_0123abcd`, long, hostsideNaming)).toBe(false);
    expect(isPossibleName("mcp_http_0123abcd", "http", hostsideNaming)).toBe(true);
    expect(isPossibleName("mcp_0123abcd", "http", hostsideNaming)).toBe(true);
  });

  it("leaves everything possible where names do not show their server", () => {
    expect(isPossibleName("anything", "http", verbatimNaming)).toBe(true);
  });
});
