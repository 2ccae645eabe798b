import { expect, it } from "vitest";
import { credentialsOf } from "./server-sharing.ts";
import type { TransportSpec } from "./server-spec.ts";

const of = (transport: TransportSpec): readonly string[] => credentialsOf({ id: "a", transport });

it("are values of variables with the name of a secret, and what is secret by its look, and no others", () => {
  const env = { API_KEY: "abc123", NODE_ENV: "production", DB: "postgres://me:pass@db/shop", WORD: "wordwordword" };
  const found = of({ kind: "stdio", command: "x", args: ["--token=tok", "plain"], env });
  expect(found).toEqual(expect.arrayContaining(["abc123", "tok", "pass"]));
  for (const plain of ["production", "wordwordword", "plain"]) expect(found).not.toContain(plain);
});

it("are tokens and headers that carry credentials, as a whole and behind their scheme", () => {
  const headers = { Authorization: "Bearer abcdef", "X-Team": "blue" };
  const found = of({ kind: "http", url: "https://a.example.com/mcp?key=kkk", headers, bearerToken: "ttt" });
  expect(found).toEqual(expect.arrayContaining(["Bearer abcdef", "abcdef", "ttt", "kkk"]));
  expect(found).not.toContain("blue");
});
