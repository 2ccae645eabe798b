import type { JsonObject } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { createAuthorization, createTokenWorld, issuer, serverUrl } from "../../test/token-world.ts";
import { accountKey, heldAuthorization, readAccount, saveAuthorization } from "./account-documents.ts";

const nobody = (): Promise<Response> => Promise.reject(new Error("no request is expected"));
const documentOf = (authorization: object, patch: object = {}): JsonObject => ({
  ...(createAuthorization() as unknown as JsonObject),
  version: 1,
  serverUrl,
  ...authorization,
  ...patch,
});

describe("readAccount()", () => {
  it("has nothing before anybody signed in, and then what was saved", async () => {
    const { parts, account, another } = createTokenWorld(nobody);
    expect(await readAccount(parts, account)).toBeUndefined();
    await saveAuthorization(parts, account, createAuthorization());
    expect(await readAccount(parts, another())).toEqual(createAuthorization());
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
    ["issuer", documentOf({}, { issuer: "" })],
    ["accessToken", documentOf({ accessToken: "line\r\nbreak" })],
    ["tokenType", documentOf({ tokenType: "mac" })],
    ["dpopKey", documentOf({ tokenType: "DPoP" })],
    ["expiresAt", documentOf({ expiresAt: "soon" })],
    ["metadata", documentOf({ metadata: { issuer, token_endpoint: "here" } })],
    ["client", documentOf({ client: { clientId: "" } })],
    ["redeeming", documentOf({ redeeming: { by: "x" } })],
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
    expect(heldAuthorization(account)?.authorization?.issuer).toBe(issuer);
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
  it("replaces what was kept, also of another authorization server", async () => {
    const { parts, account, another } = createTokenWorld(nobody);
    await saveAuthorization(parts, account, createAuthorization());
    const moved = createAuthorization({ issuer: "https://as-2.example", accessToken: "new" });
    await saveAuthorization(parts, account, moved);
    expect(await readAccount(parts, another())).toEqual(moved);
  });
});
