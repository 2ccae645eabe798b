import { describe, expect, it } from "vitest";
import { learnOAuthAnswer, learnOAuthRequest, createSecretMemory } from "./redaction.ts";

describe("learnOAuthRequest()", () => {
  it("masks credentials of headers, without their scheme as well, and what is secret in a form", () => {
    const secrets = createSecretMemory();
    const form = new URLSearchParams({ code: "code-of-a-user", code_verifier: "a-long-verifier", scope: "read-notes" });
    learnOAuthRequest({ headers: [["authorization", "Basic aG9zdDpzZWNyZXQ"]], form }, secrets);
    expect(secrets.redact("aG9zdDpzZWNyZXQ code-of-a-user a-long-verifier read-notes")).toBe(
      "[redacted] [redacted] [redacted] read-notes",
    );
  });

  it("takes a form that is text, and none", () => {
    const secrets = createSecretMemory();
    learnOAuthRequest({ headers: [], form: "refresh_token=refresh-of-a-user" }, secrets);
    learnOAuthRequest({ headers: [] }, secrets);
    expect(secrets.redact("refresh-of-a-user")).toBe("[redacted]");
  });
});

describe("learnOAuthAnswer()", () => {
  it("masks tokens of an answer, and nothing of one that is no JSON object", () => {
    const secrets = createSecretMemory();
    learnOAuthAnswer(JSON.stringify({ access_token: "access-of-a-user", scope: "read-notes" }), secrets);
    for (const text of ["<html>", "[]", "null", '"text"']) learnOAuthAnswer(text, secrets);
    expect(secrets.redact("access-of-a-user read-notes <html>")).toBe("[redacted] read-notes <html>");
  });
});
