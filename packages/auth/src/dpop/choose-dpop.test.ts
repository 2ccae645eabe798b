import { describe, expect, it } from "vitest";
import { createTokenWorld, issuer } from "../../test/token-world.ts";
import { challengesNonce, choosesDpop, readTokenType } from "./dpop.ts";

interface Case {
  /** What the client is configured with. */
  readonly dpop?: boolean;
  /** Whether the server challenged so, or says so in its metadata. */
  readonly challenged?: boolean;
  readonly required?: boolean;
  readonly algorithms?: readonly string[];
}

const accountFor = ({ dpop, challenged = false }: Case) => {
  const { account } = createTokenWorld(() => Promise.reject(new TypeError("no network here")));
  account.hints.dpop = challenged;
  return { ...account, config: dpop === undefined ? {} : { dpop } };
};
const choose = (given: Case): boolean =>
  choosesDpop(accountFor(given), {
    issuer,
    metadata: {
      issuer,
      token_endpoint: `${issuer}/token`,
      ...(given.algorithms && { dpop_signing_alg_values_supported: given.algorithms }),
    },
    wantsDpop: given.required ?? false,
  });

describe("choosesDpop()", () => {
  it.each<[string, Case, boolean]>([
    ["nobody wants it", {}, false],
    ["only the authorization server knows it", { algorithms: ["ES256"] }, false],
    ["the server challenged so", { challenged: true, algorithms: ["RS256", "ES256"] }, true],
    ["the server's metadata say so", { required: true, algorithms: ["ES256"] }, true],
    ["the authorization server says nothing", { required: true }, true],
    ["the authorization server takes other signatures", { challenged: true, algorithms: ["RS256"] }, false],
    ["it is configured", { dpop: true, algorithms: ["ES256"] }, true],
    ["it is configured, and nobody says anything", { dpop: true }, true],
    ["it is configured away", { dpop: false, algorithms: ["ES256"] }, false],
  ])("when %s", (_, given, expected) => {
    expect(choose(given)).toBe(expected);
  });

  it.each<[string, Case, RegExp]>([
    ["is not to be and the server insists", { dpop: false, challenged: true }, /`dpop: false`/],
    ["is not to be and the server's metadata insist", { dpop: false, required: true }, /`dpop: false`/],
    [
      "is to be and the authorization server cannot",
      { dpop: true, algorithms: ["RS256"] },
      /"https:\/\/as\.example".*ES256/,
    ],
  ])("throws auth_required when it %s", (_, given, text) => {
    expect(() => choose(given)).toThrow(text);
    expect(() => choose(given)).toThrow(expect.objectContaining({ code: "auth_required", serverId: "notes" }));
  });
});

describe("readTokenType()", () => {
  const read = (given: Case, tokenType: string, asked: boolean): string =>
    readTokenType(accountFor(given), { issuer, tokenType, asked });

  it("knows the types in any case", () => {
    expect([read({}, "bearer", false), read({}, "dpop", true), read({ dpop: true }, "DPOP", true)]).toEqual([
      "Bearer",
      "DPoP",
      "DPoP",
    ]);
  });

  it("takes a plain token where the host did not insist on a bound one", () => {
    expect(read({ challenged: true }, "Bearer", true)).toBe("Bearer");
  });

  it.each<[string, readonly [Case, string, boolean]]>([
    ["a plain token where a bound one is configured", [{ dpop: true }, "Bearer", true]],
    ["a bound token without a key", [{}, "DPoP", false]],
    ["a token of a type that nobody knows", [{}, "mac", true]],
  ])("refuses %s", (_, given) => {
    expect(() => read(...given)).toThrow(expect.objectContaining({ code: "auth_required" }));
  });
});

describe("challengesNonce()", () => {
  it.each<[string | undefined, boolean]>([
    [undefined, false],
    ["DPoP", false],
    ['dpop algs="ES256", error="use_dpop_nonce"', true],
    ["DPoP error=use_dpop_nonce", true],
    ['DPoP error="use_dpop_nonce", Bearer', true],
    ['Bearer realm="x, DPoP error=use_dpop_nonce"', false],
    ['Bearer error="use_dpop_nonce"', false],
  ])("reads %j", (challenge, expected) => {
    expect(challengesNonce(challenge)).toBe(expected);
  });
});
