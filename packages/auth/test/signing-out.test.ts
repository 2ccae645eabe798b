import type { JsonObject } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { createAccounts } from "../src/create-accounts.ts";
import type { Account } from "../src/account.ts";
import type { Accounts } from "../src/create-accounts.ts";
import { clearKept, listAccounts, signOut, signOutKept, storedServer } from "../src/signing-out/sign-out.ts";
import type { CredentialKey } from "../src/store/credential-store.ts";
import { accountKey, heldAuthorization, readAccount, saveAuthorization } from "../src/accounts/account-documents.ts";
import { createAuthorization, createTokenWorld, issuer, serverUrl, type TokenWorld } from "./token-world.ts";

interface Sent {
  readonly url: string;
  readonly authorization: string | null;
  readonly form: Readonly<Record<string, string>>;
}

const metadata = { issuer, token_endpoint: `${issuer}/token`, revocation_endpoint: `${issuer}/revoke` };

/** Somebody is signed in; requests are kept, and answered with a status, or never. */
async function signedIn(patch = {}, status = 200): Promise<TokenWorld & { readonly sent: Sent[] }> {
  const sent: Sent[] = [];
  const world = createTokenWorld((url, { headers, body } = {}) => {
    const authorization = new Headers(headers).get("authorization");
    sent.push({
      url: String(url),
      authorization,
      form: Object.fromEntries(new URLSearchParams(body as URLSearchParams)),
    });
    return status === 0 ? new Promise(() => {}) : Promise.resolve(new Response(null, { status }));
  });
  await saveAuthorization(world.parts, world.account, createAuthorization({ metadata, ...patch }));
  return { ...world, sent };
}

describe("signOut()", () => {
  it("revokes the refresh token, then the access token, as the client that they were given to, and forgets them", async () => {
    const { parts, account, another, sent } = await signedIn();
    expect(await signOut(parts, account)).toEqual({ existed: true, revoked: true });
    expect(sent).toEqual([
      {
        url: `${issuer}/revoke`,
        authorization: null,
        form: { token: "refresh-0", token_type_hint: "refresh_token", client_id: "host" },
      },
      {
        url: `${issuer}/revoke`,
        authorization: null,
        form: { token: "access-0", token_type_hint: "access_token", client_id: "host" },
      },
    ]);
    expect(await readAccount(parts, another())).toBeUndefined();
    expect(await signOut(parts, account)).toEqual({ existed: false, revoked: undefined });
  });

  it.each([
    [undefined, `Basic ${btoa("host:client-secret")}`, undefined],
    ["client_secret_post", null, "client-secret"],
  ])("proves to be the client by its secret (%s)", async (authMethod, authorization, secret) => {
    const client = { clientId: "host", clientSecret: "client-secret", authMethod, way: "dynamic" } as const;
    const { parts, account, sent } = await signedIn({ client });
    await signOut(parts, account);
    expect([sent[0]?.authorization, sent[0]?.form["client_secret"]]).toEqual([authorization, secret]);
  });

  it("forgets when the authorization server says no, does not answer for 5 s, or offers no revocation", async () => {
    const refusing = await signedIn({}, 503);
    expect(await signOut(refusing.parts, refusing.account)).toEqual({ existed: true, revoked: false });
    const silent = await signedIn({}, 0);
    const leaving = signOut(silent.parts, silent.account);
    await expect.poll(() => silent.sent.length).toBe(1);
    silent.clock.advance(5000);
    expect(await leaving).toEqual({ existed: true, revoked: false });
    expect(await readAccount(silent.parts, silent.account)).toBeUndefined();
    const without = await signedIn({ metadata: { issuer, token_endpoint: `${issuer}/token` } });
    expect(await signOut(without.parts, without.account)).toEqual({ existed: true, revoked: undefined });
    expect(without.sent).toEqual([]);
  });

  it("sends no token over plain HTTP", async () => {
    const open = { ...metadata, revocation_endpoint: "http://as.example/revoke" };
    const { parts, account, sent } = await signedIn({ metadata: open });
    expect([await signOut(parts, account), sent]).toEqual([{ existed: true, revoked: false }, []]);
  });

  it("goes on when who asked for it stops waiting, however early", async () => {
    const { parts, another, clock, sent } = await signedIn({}, 0);
    const closing = new AbortController().signal;
    const accounts = createAccounts({ ...parts.settings, fetch: another().fetch }, closing);
    const giveUp = new AbortController();
    const leaving = signOutKept(parts, accounts, { serverId: "notes", signal: giveUp.signal });
    giveUp.abort(new Error("enough"));
    await expect(leaving).rejects.toThrow("enough");
    await expect.poll(() => sent.length).toBe(1);
    clock.advance(5000);
    await expect.poll(() => readAccount(parts, another())).toBeUndefined();
  });

  it("forgets what nobody can read: that is the way out of it", async () => {
    const { parts, account } = await signedIn();
    await parts.store.save(accountKey(account), { version: 2 });
    expect(await signOut(parts, account)).toEqual({ existed: true, revoked: undefined });
    expect(await readAccount(parts, account)).toBeUndefined();
  });
});

describe("clear()", () => {
  it("asks nobody, forgets what nobody can read, too, and is seen at once in this process", async () => {
    const { parts, account, sent } = await signedIn();
    await parts.store.save(accountKey(account), { version: 2 });
    const accounts = (known: Account | undefined): Accounts => {
      return { accountOf: () => account, knownAccount: () => known, of: () => [account], connect: () => account };
    };
    const who = { serverId: account.serverId, principal: account.principal };
    expect(await clearKept(parts, accounts(account), who)).toBe(true);
    expect(await clearKept(parts, accounts(undefined), who)).toBe(false);
    expect([heldAuthorization(account)?.authorization, sent]).toEqual([undefined, []]);
  });
});

describe("list()", () => {
  it("has all that is kept, sorted, without any secret", async () => {
    const { parts, account } = await signedIn();
    await saveAuthorization(parts, { ...account, serverId: "files" }, createAuthorization());
    await saveAuthorization(parts, { ...account, principal: "ada" }, createAuthorization());
    await parts.store.save({ kind: "account", serverId: "newer" }, { version: 2 });
    const listed = await listAccounts(parts);
    expect(listed.map((one) => [one.serverId, one.principal, one.issuer])).toEqual([
      ["files", undefined, issuer],
      ["notes", undefined, issuer],
      ["notes", "ada", issuer],
    ]);
    expect(listed[0]).toMatchObject({ clientId: "host", scopes: ["read"], renews: true, serverUrl });
    expect(JSON.stringify(listed)).not.toMatch(/access-0|refresh-0/);
  });

  it("asks for few at a time, of however many", async () => {
    const { parts, account } = await signedIn();
    for (let count = 0; count < 100; count += 1) {
      await saveAuthorization(parts, { ...account, principal: `user-${count}` }, createAuthorization());
    }
    let [asked, most] = [0, 0];
    const load = async (key: CredentialKey): Promise<JsonObject | undefined> => {
      asked += 1;
      most = Math.max(most, asked);
      const document = await parts.store.load(key);
      asked -= 1;
      return document;
    };
    expect(await listAccounts({ ...parts, store: { ...parts.store, load } })).toHaveLength(101);
    expect(most).toBeLessThanOrEqual(32);
  });

  it("knows the server of who signed in, also when no connector has asked about it", async () => {
    const { parts } = await signedIn();
    const transport = { type: "http", url: serverUrl, auth: "oauth" };
    expect(await storedServer(parts, { serverId: "notes" })).toEqual({ id: "notes", ...transport });
    expect(await storedServer(parts, { serverId: "other" })).toBeUndefined();
  });
});
