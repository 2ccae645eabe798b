import { HostsideError } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { createAuthorization, createTokenWorld, issuer, type TokenWorld } from "../../test/token-world.ts";
import { firstDate } from "../../../provider/test/simulation/virtual-clock.ts";
import { askForTokens, type TokenResult } from "./request-tokens.ts";
import { toStoredAuthorization } from "../accounts/stored-account.ts";

const refresh = ({ account }: TokenWorld): Promise<TokenResult> =>
  askForTokens(
    { account, endpoint: `${issuer}/token` },
    { grant_type: "refresh_token", refresh_token: "refresh-0", client_id: "host" },
  );
const answering = (body: unknown, init: ResponseInit = {}): TokenWorld =>
  createTokenWorld(() =>
    Promise.resolve(typeof body === "string" ? new Response(body, init) : Response.json(body, init)),
  );
const good = { access_token: "access-1", token_type: "bearer" };

describe("askForTokens()", () => {
  it.each<[string, readonly [unknown, ResponseInit], object]>([
    ["invalid_grant", [{ error: "invalid_grant" }, { status: 400 }], { trouble: "dead-grant", isUnredeemed: true }],
    ["GitHub's bad_refresh_token", [{ error: "bad_refresh_token" }, {}], { trouble: "dead-grant" }],
    ["invalid_client", [{ error: "invalid_client" }, { status: 401 }], { trouble: "dead-client" }],
    ["invalid_scope", [{ error: "invalid_scope" }, { status: 400 }], { trouble: "refused" }],
    ["a page of a proxy", ["<html>Sign in to the Wi-Fi</html>", {}], { trouble: "passing", isUnredeemed: false }],
    ["a page with 404", ["<html>not here</html>", { status: 404 }], { trouble: "refused", isUnredeemed: true }],
    ["a 503", ["down", { status: 503 }], { trouble: "passing", isUnredeemed: false }],
    ["invalid_grant with 500", [{ error: "invalid_grant" }, { status: 500 }], { trouble: "passing" }],
    ["no token at all", [{ token_type: "bearer" }, {}], { trouble: "passing", isUnredeemed: false }],
    ["a token that no header carries", [{ ...good, access_token: "a\r\nb" }, {}], { trouble: "passing" }],
    ["another kind of token", [{ ...good, token_type: "mac" }, {}], { trouble: "passing" }],
  ])("knows what %s means", async (_, [body, init], expected) => {
    expect((await refresh(answering(body, init))).failure).toMatchObject(expected);
  });

  it("says how long a limited client is to wait", async () => {
    const { failure } = await refresh(answering({}, { status: 429, headers: { "retry-after": "7" } }));
    expect(failure).toMatchObject({ trouble: "passing" });
    expect(failure?.error).toMatchObject({ code: "rate_limited", retryable: true, details: { retryAfterMs: 7000 } });
  });

  it("passes on what the connector's own fetch failed with, as passing trouble of a request that was not sent", async () => {
    const cause = new HostsideError("no connection", { code: "unreachable" });
    const { failure } = await refresh(createTokenWorld(() => Promise.reject(new TypeError("fetch failed", { cause }))));
    expect(failure).toMatchObject({ trouble: "passing", isUnredeemed: true });
    expect(failure?.error).toMatchObject({
      code: "unreachable",
      serverId: "notes",
      outcome: "not-sent",
      retryable: true,
    });
  });

  it("does not know whether a request was answered that timed out", async () => {
    const cause = new HostsideError("no answer", { code: "request_timeout" });
    const { failure } = await refresh(createTokenWorld(() => Promise.reject(new TypeError("fetch failed", { cause }))));
    expect(failure).toMatchObject({ trouble: "passing", isUnredeemed: false, error: { retryable: true } });
  });

  it("quotes little of what an authorization server says, and no secret that it echoes", async () => {
    const said = `\u001B[31mno such token: refresh-0 ${"x".repeat(5000)}`;
    const { failure } = await refresh(answering({ error: "invalid_grant", error_description: said }, { status: 400 }));
    expect(failure?.error.message).toContain("no such token: [redacted]");
    expect(failure?.error.message).not.toMatch(/refresh-0|\u001B/);
    expect(failure?.error.message.length).toBeLessThan(400);
  });

  it.each([2048, 16_384])("quotes no half of a secret that stands across the %ith character", async (cut) => {
    const room = " ".repeat(cut - "invalid_grant: refre…".length);
    const said = { error: "invalid_grant", error_description: `${room}refresh-0` };
    const { failure } = await refresh(answering(said, { status: 400 }));
    expect(failure?.error.message).toContain("invalid_grant");
    expect(failure?.error.message).not.toContain("refr");
  });

  it.each<[unknown, number | undefined]>([
    ["3600", 3_600_000],
    [60.5, 60_500],
    [0, undefined],
    [-1, undefined],
    ["soon", undefined],
    [null, undefined],
    ["", undefined],
    [1e15, undefined],
    [{}, undefined],
  ])("keeps the tokens of an answer whose expires_in is %j", async (expiresIn, lifeMs) => {
    const world = answering({ ...good, expires_in: expiresIn, scope: null, refresh_token: null });
    const { tokens } = await refresh(world);
    const origin = { ...createAuthorization(), renewed: createAuthorization() };
    const stored = tokens && toStoredAuthorization(tokens, origin);
    expect(stored).toMatchObject({
      accessToken: "access-1",
      tokenType: "Bearer",
      refreshToken: "refresh-0",
      scope: "read",
    });
    expect(stored?.expiresAt).toBe(lifeMs && firstDate + lifeMs);
  });
});
