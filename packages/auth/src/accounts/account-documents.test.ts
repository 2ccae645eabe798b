import type { JsonObject } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { createAuthorization, createTokenWorld, issuer, serverUrl } from "../../test/token-world.ts";
import type { StoredAuthorization } from "./stored-account.ts";
import { accountKey, heldDocument, readAccount, saveAuthorization } from "./account-documents.ts";
import { currentAuthorization } from "./authorizations.ts";

const nobody = (): Promise<Response> => Promise.reject(new Error("no request is expected"));
const documentOf = (authorization: Partial<StoredAuthorization> & JsonObject, patch: JsonObject = {}): JsonObject => ({
  version: 1,
  serverUrl,
  issuer,
  authorizations: [{ ...createAuthorization(), ...authorization } as unknown as JsonObject],
  ...patch,
});

describe("readAccount()", () => {
  it("has nothing before anybody signed in, and then what was saved", async () => {
    const { parts, account, another } = createTokenWorld(nobody);
    expect(await readAccount(parts, account)).toBeUndefined();
    await saveAuthorization(parts, account, createAuthorization());
    expect(currentAuthorization(await readAccount(parts, another()))).toEqual(createAuthorization());
  });

  it("does not use tokens of another server URL", async () => {
    const { parts, account } = createTokenWorld(nobody);
    await parts.store.save(accountKey(account), documentOf({}, { serverUrl: "https://other.example/mcp" }));
    expect(await readAccount(parts, account)).toBeUndefined();
  });

  it.each<[string, JsonObject]>([
    ["version", documentOf({}, { version: 2 })],
    ["version", documentOf({}, { version: "1" })],
    ["serverUrl", documentOf({}, { serverUrl: "notes" })],
    ["issuer", documentOf({}, { issuer: "https://other.example" })],
    ["authorizations", documentOf({}, { authorizations: [] })],
    ["authorizations.0.accessToken", documentOf({ accessToken: "line\r\nbreak" })],
    ["authorizations.0.tokenType", documentOf({ tokenType: "mac" })],
    ["authorizations.0.dpopKey", documentOf({ tokenType: "DPoP" })],
    ["authorizations.0.expiresAt", documentOf({ expiresAt: "soon" } as unknown as JsonObject)],
    ["authorizations.0.metadata", documentOf({ metadata: { issuer, token_endpoint: "here" } })],
    ["authorizations.0.client", documentOf({ client: { clientId: "" } } as unknown as JsonObject)],
    ["authorizations.0.redeeming", documentOf({ redeeming: { by: "x" } } as unknown as JsonObject)],
  ])("neither uses nor overwrites a document with a malformed %s", async (member, document) => {
    const { parts, account } = createTokenWorld(nobody);
    await parts.store.save(accountKey(account), document);
    const failure = { code: "store_failed", serverId: "notes", message: expect.stringContaining(member) };
    await expect(readAccount(parts, account)).rejects.toMatchObject(failure);
    await expect(saveAuthorization(parts, account, createAuthorization())).rejects.toMatchObject(failure);
    expect(await parts.store.load(accountKey(account))).toEqual(document);
  });

  it("takes no read for newer than a write that it began before", async () => {
    const { parts, account } = createTokenWorld(nobody);
    let release = (): void => {};
    const slow = {
      ...parts.store,
      load: () => new Promise<undefined>((resolve) => (release = () => resolve(undefined))),
    };
    const early = readAccount({ ...parts, store: slow }, account);
    await saveAuthorization(parts, account, createAuthorization());
    release();
    await early;
    expect(heldDocument(account)?.document?.issuer).toBe(issuer);
  });

  it("shows no secret of what it read", async () => {
    const { parts, account, another } = createTokenWorld(nobody);
    const client = { clientId: "host", clientSecret: "client-secret", way: "dynamic" } as const;
    await saveAuthorization(parts, account, createAuthorization({ client }));
    const reader = another();
    await readAccount(parts, reader);
    expect(reader.secrets.redact("access-0 refresh-0 client-secret")).toBe("[redacted] [redacted] [redacted]");
  });
});

describe("saveAuthorization()", () => {
  it("replaces that of its issuer, keeps a bounded number of others, and makes it the one in use", async () => {
    const { parts, account } = createTokenWorld(nobody);
    for (let index = 0; index < 10; index++) {
      const other = `https://as-${index}.example`;
      await saveAuthorization(parts, account, createAuthorization({ issuer: other, obtainedAt: index }));
    }
    await saveAuthorization(
      parts,
      account,
      createAuthorization({ issuer: "https://as-5.example/", accessToken: "new" }),
    );
    const document = await readAccount(parts, account);
    expect(currentAuthorization(document)?.accessToken).toBe("new");
    expect(document?.authorizations.map((one) => one.issuer)).toEqual([
      "https://as-5.example/",
      ...[9, 8, 7, 6, 4, 3, 2].map((index) => `https://as-${index}.example`),
    ]);
  });
});
