import { describe, expect, it } from "vitest";
import {
  evvaNaming,
  nexoNaming,
  qualifiedNaming,
  hostsideNaming,
  verbatimNaming,
  assertNamingStrategy,
  isLegalName,
  normalizeServerId,
  toolNamePrefix,
  type NamingStrategy,
} from "./naming-strategy.ts";

describe("assertNamingStrategy()", () => {
  it("accepts every preset", () => {
    for (const preset of [hostsideNaming, evvaNaming, nexoNaming, verbatimNaming, qualifiedNaming]) {
      expect(() => assertNamingStrategy(preset)).not.toThrow();
    }
  });

  const bad: readonly (readonly [string, Partial<NamingStrategy>])[] = [
    ["maxLength", { maxLength: 31 }],
    ["maxLength", { maxLength: 1025 }],
    ["maxLength", { maxLength: 64.5 }],
    ["maxLength", { maxLength: Number.NaN }],
    ["maxLength", { maxLength: Number.POSITIVE_INFINITY }],
    ["hashLength", { hashLength: 5 }],
    ["hashLength", { hashLength: 17 }],
    ["legal", { legal: /^[a-z0-9_]+$/g }],
    ["legal", { legal: /^[a-z0-9_]+$/y }],
    ["legal", { legal: /^[a-z_]+$/ }],
    ["legal", { hashSeparator: " " }],
    ["legal", { hashSeparator: "_".repeat(64) }],
    ["legal", { prefix: "Mcp" }],
    ["prefix", { prefix: "p".repeat(40) }],
    ["separator", { separator: "_".repeat(40) }],
  ];
  it.each(bad)("throws a TypeError that names %s for %o", (member, change) => {
    const strategy = { ...hostsideNaming, ...change };
    expect(() => assertNamingStrategy(strategy)).toThrow(new RegExp(`^naming\\.${member} `));
    expect(() => assertNamingStrategy(strategy)).toThrow(TypeError);
  });

  it("throws a TypeError for a sanitize that is no function", () => {
    // JavaScript callers have no compiler.
    const strategy = { ...hostsideNaming, sanitize: undefined } as unknown as NamingStrategy;
    expect(() => assertNamingStrategy(strategy)).toThrow(/^naming\.sanitize must be a function$/);
  });
});

describe("isLegalName()", () => {
  it("knows the bound and the form of the target", () => {
    expect(isLegalName("a".repeat(64), hostsideNaming)).toBe(true);
    expect(isLegalName("a".repeat(65), hostsideNaming)).toBe(false);
    expect(isLegalName("", hostsideNaming)).toBe(false);
    expect(isLegalName("Read", hostsideNaming)).toBe(false);
    expect(isLegalName("Read", evvaNaming)).toBe(true);
    expect(isLegalName("mcp::a::b", evvaNaming)).toBe(false);
    expect(isLegalName("mcp::a::b", qualifiedNaming)).toBe(true);
    expect(isLegalName("read\n", evvaNaming)).toBe(false);
  });
});

describe("normalizeServerId()", () => {
  it("gives one form to ids whose tools would collide", () => {
    expect(normalizeServerId("GitHub-Prod", hostsideNaming)).toBe("github_prod");
    expect(normalizeServerId("GitHub.Prod", evvaNaming)).toBe(normalizeServerId("github_prod", evvaNaming));
  });

  it("leaves ids alone where names do not show them", () => {
    expect(normalizeServerId("GitHub-Prod", verbatimNaming)).toBe("GitHub-Prod");
  });
});

describe("toolNamePrefix()", () => {
  it("is what names start with", () => {
    expect(toolNamePrefix("github.com", evvaNaming)).toBe("mcp__github_com__");
    expect(toolNamePrefix("fs", { ...nexoNaming, prefix: "" })).toBe("fs_");
    expect(toolNamePrefix("fs", verbatimNaming)).toBe("");
  });
});
