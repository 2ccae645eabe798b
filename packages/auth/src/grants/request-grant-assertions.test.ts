import { isHostsideError } from "@hostside/core";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { deferred, failureOf, secret, setUp, token, type Answer } from "../../test/grant-stage.ts";
import { issuer, serverUrl } from "../../test/token-world.ts";
import type { ClientConfig } from "../oauth-options.ts";

describe("jwt_bearer", () => {
  it("asks for the assertion each time, and says what it is for", async () => {
    const asked: unknown[] = [];
    const { grant, seen } = setUp({
      flow: "jwt_bearer",
      assertion: ({ signal, ...request }) => {
        asked.push({ ...request, isLive: !signal.aborted });
        return `assertion-${asked.length}`;
      },
    });
    await grant({ scope: "read" });
    await grant({ scope: "read", refused: "access-1" });
    const request = {
      serverId: "notes",
      principal: undefined,
      issuer,
      resource: serverUrl,
      scope: "read",
      isLive: true,
    };
    expect(asked).toEqual([request, request]);
    expect(seen.map(({ form }) => form)).toEqual(
      ["assertion-1", "assertion-2"].map((assertion) => ({
        grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
        assertion,
        resource: serverUrl,
        scope: "read",
      })),
    );
  });

  it("names its client without a secret where it has none, and with it where it has", async () => {
    const config = { flow: "jwt_bearer", assertion: () => "the-assertion", clientId: "workload" } as const;
    const one = setUp(config);
    await one.grant();
    expect(one.seen[0]?.form["client_id"]).toBe("workload");
    const other = setUp({ ...config, clientSecret: secret });
    await other.grant();
    expect(other.seen[0]?.headers.get("authorization")).toMatch(/^Basic /);
  });

  it("sends an assertion once, whatever becomes of it", async () => {
    const { grant, seen } = setUp(
      { flow: "jwt_bearer", assertion: () => "the-assertion" },
      { status: 400, body: { error: "invalid_grant", error_description: "the-assertion is over" } },
    );
    const failure = await failureOf(grant());
    expect(failure).toMatchObject({ code: "auth_required" });
    expect(inspect(failure, { depth: 9 })).not.toContain("the-assertion");
    expect(seen).toHaveLength(1);
  });

  it.each([
    ["throws", () => Promise.reject(new Error("the file of the token is gone")), /assertion\(\).*gone/],
    [
      "throws at once",
      () => {
        throw new Error("no such workload");
      },
      /assertion\(\).*no such/,
    ],
    ["gives nothing", () => " ", /assertion\(\).*no text/],
  ])("names the server and the option when the host's function %s", async (_, assertion, text) => {
    const { grant, seen } = setUp({ flow: "jwt_bearer", assertion });
    const failure = await failureOf(grant());
    expect(failure).toMatchObject({ code: "internal_error", serverId: "notes" });
    expect(String(failure)).toMatch(text);
    expect(String(failure)).toContain('"notes"');
    expect(seen).toEqual([]);
  });

  it("waits for the host's function for 30 s, and has it stop then", async () => {
    let signal: AbortSignal | undefined;
    const asked = deferred();
    const { grant, clock } = setUp({
      flow: "jwt_bearer",
      assertion: (request) => {
        signal = request.signal;
        asked.resolve();
        return new Promise(() => {});
      },
    });
    const failure = failureOf(grant());
    await asked.promise;
    clock.advance(30_000);
    expect(await failure).toMatchObject({ code: "request_timeout", serverId: "notes" });
    expect(String(await failure)).toMatch(/"notes".*assertion\(\)/);
    expect(signal?.aborted).toBe(true);
  });
});

describe("enterprise_managed", () => {
  const identityProvider = {
    tokenEndpoint: "https://idp.example/token",
    clientId: "host-at-idp",
    clientSecret: "secret-at-idp",
    idToken: () => "the-id-token",
  };
  const config: ClientConfig = { flow: "enterprise_managed", clientId: "host", clientSecret: secret, identityProvider };
  const assertion = {
    access_token: "the-id-jag",
    issued_token_type: "urn:ietf:params:oauth:token-type:id-jag",
    token_type: "N_A",
  };

  it("exchanges the user's ID token at the identity provider, and the answer at the authorization server", async () => {
    const { grant, seen } = setUp(config, assertion, token);
    await expect(grant()).resolves.toMatchObject({ accessToken: "access-1" });
    expect(seen.map(({ url }) => url)).toEqual(["https://idp.example/token", `${issuer}/token`]);
    expect(seen[0]?.form).toEqual({
      grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
      requested_token_type: assertion.issued_token_type,
      audience: issuer,
      resource: serverUrl,
      subject_token: "the-id-token",
      subject_token_type: "urn:ietf:params:oauth:token-type:id_token",
      client_id: "host-at-idp",
      client_secret: "secret-at-idp",
      scope: "read write",
    });
    expect(seen[1]?.form).toEqual({
      grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
      assertion: "the-id-jag",
      resource: serverUrl,
      scope: "read write",
    });
    expect(seen[1]?.headers.get("authorization")).toMatch(/^Basic /);
  });

  it("finds the identity provider's token endpoint by its issuer", async () => {
    const idp = "https://idp.example";
    const metadata = {
      issuer: idp,
      token_endpoint: `${idp}/found`,
      authorization_endpoint: `${idp}/authorize`,
      response_types_supported: ["code"],
    };
    const { tokenEndpoint: _, ...rest } = identityProvider;
    const { grant, seen } = setUp(
      { ...config, identityProvider: { ...rest, issuer: idp } },
      metadata,
      assertion,
      token,
    );
    await grant();
    expect(seen[1]?.url).toBe(`${idp}/found`);
  });

  it("names the identity provider when there is no such thing", async () => {
    const { tokenEndpoint: _, ...rest } = identityProvider;
    const { grant } = setUp(
      { ...config, identityProvider: { ...rest, issuer: "https://idp.example" } },
      { status: 404, body: {} },
    );
    expect(String(await failureOf(grant()))).toMatch(/"notes".*"https:\/\/idp\.example".*tokenEndpoint/);
  });

  it.each<[string, Answer]>([
    ["says no", { status: 400, body: { error: "invalid_grant", error_description: "the-id-token is over" } }],
    [
      "gives another kind of token",
      { ...assertion, issued_token_type: "urn:ietf:params:oauth:token-type:access_token" },
    ],
  ])("asks the authorization server for nothing when the identity provider %s", async (_, answer) => {
    const { grant, seen } = setUp(config, answer, token);
    const failure = await failureOf(grant());
    expect(isHostsideError(failure)).toBe(true);
    expect(inspect(failure, { depth: 9 })).not.toMatch(/the-id-token|the-id-jag/);
    expect(seen).toHaveLength(1);
  });
});
