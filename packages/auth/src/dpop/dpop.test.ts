import { isJsonObject } from "@hostside/core/implement";
import fc from "fast-check";
import { createHash, type webcrypto } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createTokenWorld } from "../../test/token-world.ts";
import { dpopOf } from "./dpop.ts";

const request = { method: "POST", url: new URL("https://mcp.example/mcp?tenant=1#top") };
const newAccount = () => createTokenWorld(() => Promise.reject(new TypeError("no network here"))).account;

interface Proof {
  readonly header: Record<string, unknown>;
  readonly claims: Record<string, unknown>;
  readonly isSigned: boolean;
}

/** Takes a proof apart as a server does, with nothing but the platform's own cryptography. */
async function readProof(proof: string | undefined): Promise<Proof> {
  const [header = "", claims = "", signature = ""] = proof?.split(".") ?? [];
  const read = (part: string): Record<string, unknown> => {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString());
    if (!isJsonObject(value)) throw new TypeError("no object");
    return value;
  };
  const { jwk, ...rest } = read(header);
  const key = await crypto.subtle.importKey(
    "jwk",
    jwk as webcrypto.JsonWebKey,
    { name: "ECDSA", namedCurve: "P-256" },
    false,
    ["verify"],
  );
  const isSigned = await crypto.subtle.verify(
    { name: "ECDSA", hash: "SHA-256" },
    key,
    Buffer.from(signature, "base64url"),
    new TextEncoder().encode(`${header}.${claims}`),
  );
  return { header: { ...rest, jwk }, claims: read(claims), isSigned };
}

describe("dpopOf()", () => {
  it("signs a proof for this request and this token", async () => {
    const signer = await dpopOf(newAccount(), undefined);
    const { header, claims, isSigned } = await readProof(await signer.proofFor(request, "the-access-token"));
    const { kty, crv, x, y } = signer.key;
    expect(header).toEqual({ alg: "ES256", typ: "dpop+jwt", jwk: { kty, crv, x, y } });
    expect(claims).toMatchObject({
      htm: "POST",
      htu: "https://mcp.example/mcp",
      ath: createHash("sha256").update("the-access-token").digest("base64url"),
    });
    expect(isSigned).toBe(true);
  });

  it("never gives two requests the same proof", async () => {
    const signer = await dpopOf(newAccount(), undefined);
    const proofs = await Promise.all(Array.from({ length: 20 }, () => signer.proofFor(request, "token")));
    const ids = await Promise.all(proofs.map(async (proof) => (await readProof(proof)).claims["jti"]));
    expect(new Set(ids).size).toBe(20);
  });

  it("signs with the key that was stored, also in a process that did not make it", async () => {
    const made = await dpopOf(newAccount(), undefined);
    const kept: unknown = JSON.parse(JSON.stringify({ dpopKey: made.key }));
    const read = await dpopOf(newAccount(), kept as { dpopKey: typeof made.key });
    const { header, isSigned } = await readProof(await read.proofFor(request, "token"));
    expect(header["jwk"]).toMatchObject({ x: made.key["x"], y: made.key["y"] });
    expect(isSigned).toBe(true);
  });

  it("makes a new key for each sign-in, and shows none of them", async () => {
    const account = newAccount();
    const [one, other] = [await dpopOf(account, undefined), await dpopOf(account, undefined)];
    expect(one.key["d"]).not.toBe(other.key["d"]);
    const shown = JSON.stringify(one.key["d"]);
    expect(account.secrets.redact(`it is ${shown}`)).not.toContain(shown);
  });

  it("keeps the nonces of each origin as long as the key is the same", async () => {
    const account = newAccount();
    const signer = await dpopOf(account, undefined);
    const elsewhere = { method: "GET", url: new URL("https://as.example/token") };
    signer.onAnswered(request, (name) => (name === "dpop-nonce" ? "nonce-1" : undefined));
    signer.onAnswered(elsewhere, (name) => (name === "dpop-nonce" ? "nonce-2" : undefined));
    const again = await dpopOf(account, { dpopKey: { ...signer.key } });
    const nonceFor = async (asked: typeof request) =>
      (await readProof(await again.proofFor(asked, "token"))).claims["nonce"];
    expect([await nonceFor(request), await nonceFor(elsewhere)]).toEqual(["nonce-1", "nonce-2"]);
  });

  it("has a request sent again for a nonce that it had not, and not for one that it had", async () => {
    const signer = await dpopOf(newAccount(), undefined);
    const sent = { dpop: await signer.proofFor(request, "token") };
    expect(await signer.hasNewNonce(request, sent)).toBe(false);
    signer.onAnswered(request, () => "nonce-1");
    expect(await signer.hasNewNonce(request, sent)).toBe(true);
    expect(await signer.hasNewNonce(request, { dpop: await signer.proofFor(request, "token") })).toBe(false);
  });

  it.each([['a "quoted" one'], ["with\nlines"], ["n".repeat(1025)], [""]])(
    "takes no note of the nonce %j",
    async (nonce) => {
      const signer = await dpopOf(newAccount(), undefined);
      signer.onAnswered(request, () => nonce);
      expect((await readProof(await signer.proofFor(request, "token"))).claims).not.toHaveProperty("nonce");
    },
  );

  it.each([
    ["no key", {}],
    ["a public one", { kty: "EC", crv: "P-256", x: "AA", y: "AA" }],
    ["one that is not on the curve", { kty: "EC", crv: "P-256", x: "AAAA", y: "AAAA", d: "a-private-part" }],
    ["one of another kind", { kty: "RSA", n: "AA", e: "AQAB", d: "a-private-part" }],
  ])("rejects %s with auth_required, and does not show it", async (_, dpopKey) => {
    const failure = dpopOf(newAccount(), { dpopKey });
    await expect(failure).rejects.toMatchObject({ code: "auth_required", serverId: "notes" });
    await expect(failure).rejects.not.toThrow(/a-private-part/);
  });

  it("names in each proof the URL without its query and fragment, as the server reads it", async () => {
    const signer = await dpopOf(newAccount(), undefined);
    await fc.assert(
      fc.asyncProperty(fc.webUrl({ withQueryParameters: true, withFragments: true }), async (text) => {
        const url = new URL(text);
        const { claims } = await readProof(await signer.proofFor({ method: "get", url }, "token"));
        const plain = new URL(url);
        plain.search = "";
        plain.hash = "";
        expect(claims).toMatchObject({ htm: "GET", htu: plain.href });
      }),
      { numRuns: 30 },
    );
  });
});
