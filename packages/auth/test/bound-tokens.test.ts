import type { CredentialHeaders, JsonObject, ServerCredentials } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import { describe, expect, it } from "vitest";
import { createMemoryCredentials, createOAuth, type ClientConfig } from "@hostside/auth";
import { useVirtualClock } from "../../provider/test/simulation/virtual-clock.ts";
import { createFakeServers, issuer, serverUrl, spec, type FakeServers } from "./fake-servers.ts";

// Tokens that are bound to a key (RFC 9449), through the public API.

const request = { method: "POST", url: new URL(serverUrl) };
const challenge = 'DPoP algs="ES256"';

/** What a proof says, and by which key. */
interface Proof {
  readonly x: unknown;
  readonly claims: JsonObject;
}

function readProof(proof: string | null | undefined): Proof {
  const [header = "", claims = ""] = proof?.split(".") ?? [];
  const read = (part: string): JsonObject => {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString() || "{}");
    return isJsonObject(value) ? value : {};
  };
  const { jwk } = read(header);
  return { x: isJsonObject(jwk) ? jwk["x"] : undefined, claims: read(claims) };
}

interface Host {
  readonly credentials: ServerCredentials;
  readonly refused: (refusal?: {
    sent?: CredentialHeaders;
    challenge?: string;
    interactive?: boolean;
  }) => Promise<void>;
}

interface Stage {
  readonly servers: FakeServers;
  /** The proofs that the token endpoint saw. */
  readonly proofs: readonly Proof[];
  readonly clock: ReturnType<typeof useVirtualClock>;
  /** What tokens are from now on. */
  tokenType: string | undefined;
  /** Starts another process that shares the store. */
  readonly start: (config?: ClientConfig) => Host;
}

function setUp(): Stage {
  const servers = createFakeServers({ dpop_signing_alg_values_supported: ["ES256"] });
  const clock = useVirtualClock();
  const store = createMemoryCredentials();
  const proofs: Proof[] = [];
  const stage: Stage = {
    servers,
    proofs,
    clock,
    tokenType: "DPoP",
    start(config) {
      const oauth = createOAuth({
        store,
        redirect: "http://127.0.0.1:3333/callback",
        prompt: async ({ url }) => ({ callbackUrl: servers.visit(url) }),
        clients: { ...(config !== undefined && { [spec.id]: config }) },
      });
      const credentials = oauth.authProvider(spec, { interactive: true, fetch: servers.fetch });
      if (credentials === undefined) throw new Error("no credentials");
      return {
        credentials,
        refused: ({ sent = {}, interactive = true, ...rest } = {}) =>
          credentials.onRefused({
            status: 401,
            challenge: rest.challenge ?? challenge,
            request,
            sent,
            interactive,
            signal: new AbortController().signal,
          }),
      };
    },
  };
  servers.routes.set(`POST ${issuer}/token`, ({ headers }) => {
    proofs.push(readProof(headers.get("dpop")));
    const count = proofs.length;
    return Response.json({
      access_token: `access-${count}`,
      refresh_token: `refresh-${count}`,
      token_type: stage.tokenType,
      expires_in: 600,
    });
  });
  return stage;
}

describe("a token that is bound to a key", () => {
  it("is sent with a proof of that key, also after a restart, and is renewed with it", async () => {
    const { start, proofs, clock } = setUp();
    const first = start();
    expect(await first.credentials.headersFor(request)).toEqual({});
    await first.refused();
    const sent = await first.credentials.headersFor(request);
    expect(sent["authorization"]).toBe("DPoP access-1");

    const second = start();
    const again = await second.credentials.headersFor(request);
    expect(again["authorization"]).toBe("DPoP access-1");
    clock.advance(700_000);
    const renewed = await second.credentials.headersFor(request);
    expect(renewed["authorization"]).toBe("DPoP access-2");

    const keys = [...proofs, ...[sent, again, renewed].map(({ dpop }) => readProof(dpop))].map(({ x }) => x);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toEqual(expect.any(String));
  });

  it("stays bound when the answer to its renewal has no type", async () => {
    const stage = setUp();
    const { credentials, refused } = stage.start();
    await refused();
    stage.tokenType = undefined;
    stage.clock.advance(700_000);
    const renewed = await credentials.headersFor(request);
    expect(renewed["authorization"]).toBe("DPoP access-2");
    expect(readProof(renewed["dpop"]).x).toBe(stage.proofs[0]?.x);
  });

  it("is sent again with the nonce that the server wants, and renewed when it wants another token", async () => {
    const { start, proofs } = setUp();
    const { credentials, refused } = start();
    await refused();
    const sent = await credentials.headersFor(request);
    credentials.onAnswered?.(request, (name) => (name === "dpop-nonce" ? "nonce-1" : undefined));
    const demand = 'DPoP error="use_dpop_nonce"';
    await refused({ sent, challenge: demand });
    expect(proofs).toHaveLength(1);
    const again = await credentials.headersFor(request);
    expect(readProof(again["dpop"]).claims).toMatchObject({ nonce: "nonce-1" });
    expect(readProof(again["dpop"]).claims["jti"]).not.toBe(readProof(sent["dpop"]).claims["jti"]);
    // It had that nonce already.
    await refused({ sent: again, challenge: demand });
    expect(proofs).toHaveLength(2);
  });

  it("is not asked for where nobody wants it", async () => {
    const { start, proofs } = Object.assign(setUp(), { tokenType: "Bearer" });
    const { refused } = start();
    await refused({ challenge: "Bearer" }).catch(() => {});
    expect(proofs).toEqual([{ x: undefined, claims: {} }]);
  });
});

describe("a client that is configured with `dpop: true`", () => {
  it("keeps no token that anybody can use", async () => {
    const stage = setUp();
    stage.tokenType = "Bearer";
    const { credentials, refused } = stage.start({ dpop: true });
    await expect(refused()).rejects.toMatchObject({ code: "auth_required" });
    expect(await credentials.headersFor(request)).toEqual({});
  });

  it("does not send one that was kept before, or that a renewal gave, and has the user sign in", async () => {
    const stage = setUp();
    stage.tokenType = "Bearer";
    const before = stage.start();
    await before.refused({ challenge: "Bearer" });
    expect(await before.credentials.headersFor(request)).toEqual({ authorization: "Bearer access-1" });

    const { credentials, refused } = stage.start({ dpop: true });
    expect(await credentials.headersFor(request)).toEqual({});
    await expect(refused({ interactive: false })).rejects.toThrow(/dpop: true/);
    stage.tokenType = "DPoP";
    await refused();
    expect((await credentials.headersFor(request))["authorization"]).toBe("DPoP access-2");

    stage.tokenType = "Bearer";
    stage.clock.advance(700_000);
    expect(await credentials.headersFor(request)).toEqual({});
    await expect(refused({ interactive: false })).rejects.toMatchObject({ code: "auth_required" });
  });
});

it("is refused where the server takes nothing else and the client is configured with `dpop: false`", async () => {
  const { start, proofs } = setUp();
  await expect(start({ dpop: false }).refused()).rejects.toThrow(/dpop: false/);
  expect(proofs).toEqual([]);
});
