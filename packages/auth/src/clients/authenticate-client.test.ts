import { createSecretMemory } from "@hostside/core/implement";
import { describe, expect, it } from "vitest";
import { createTokenWorld, issuer } from "../../test/token-world.ts";
import type { ClientConfig } from "../oauth-options.ts";
import type { StoredClient } from "../accounts/stored-account.ts";
import { authenticateClient, noClient } from "./authenticate-client.ts";

interface Written {
  readonly basic: string | undefined;
  readonly form: Readonly<Record<string, string>>;
  readonly redact: (text: string) => string;
}

async function write(
  client: Partial<StoredClient>,
  { methods, config = {} }: { readonly methods?: readonly string[]; readonly config?: ClientConfig } = {},
): Promise<Written> {
  const { clock } = createTokenWorld(() => Promise.reject(new TypeError("no network here")));
  const secrets = createSecretMemory();
  const metadata = { issuer, token_endpoint: `${issuer}/token` };
  const [headers, params] = [new Headers(), new URLSearchParams()];
  const account = { serverId: "notes", secrets, config };
  const place = { clock, issuer, metadata, methods };
  await authenticateClient(account, { clientId: "host", way: "dynamic", ...client }, place)(headers, params);
  const [, credentials] = /^Basic (.+)$/.exec(headers.get("authorization") ?? "") ?? [];
  return {
    basic: credentials && Buffer.from(credentials, "base64").toString("latin1"),
    form: Object.fromEntries(params),
    redact: secrets.redact,
  };
}

describe("authenticateClient()", () => {
  it("encodes what the header cannot carry as it is, and nothing else", async () => {
    const { basic, redact } = await write({ clientId: "a client:b", clientSecret: "s3cr%t+é~._-/secret" });
    expect(basic).toBe("a+client%3Ab:s3cr%25t%2B%C3%A9~._-%2Fsecret");
    expect(redact(`sent ${Buffer.from(basic ?? "").toString("base64")}`)).not.toContain("Y2xpZW50");
  });

  it.each<[string, Partial<StoredClient>, readonly string[] | undefined, "basic" | "none" | "post"]>([
    ["nothing is said", { clientSecret: "a secret" }, undefined, "basic"],
    ["both are offered", { clientSecret: "a secret" }, ["client_secret_post", "client_secret_basic"], "basic"],
    ["one is offered", { clientSecret: "a secret" }, ["client_secret_post"], "post"],
    ["it was registered so", { clientSecret: "a secret", authMethod: "client_secret_post" }, undefined, "post"],
    [
      "what was registered is not offered",
      { clientSecret: "a secret", authMethod: "none" },
      ["client_secret_basic"],
      "basic",
    ],
    ["there is no secret", {}, ["client_secret_basic", "none"], "none"],
  ])("when %s", async (...[, client, methods, expected]) => {
    const { basic, form } = await write(client, methods === undefined ? {} : { methods });
    const sent = {
      basic: { basic: "host:a+secret", form: {} },
      post: { basic: undefined, form: { client_id: "host", client_secret: "a secret" } },
      none: { basic: undefined, form: { client_id: "host" } },
    };
    expect({ basic, form }).toEqual(sent[expected]);
  });

  it("proves nothing for nobody", async () => {
    expect(await write({ clientId: noClient })).toMatchObject({ basic: undefined, form: {} });
  });

  const publicJwk = { kty: "EC", crv: "P-256", x: "AA", y: "AA" };
  it.each<[string, ClientConfig, Partial<StoredClient>, string | undefined]>([
    ["the secret that was kept", {}, { clientSecret: "kept" }, "host:kept"],
    [
      "the secret that is configured now",
      { clientId: "host", clientSecret: "new" },
      { clientSecret: "old", way: "pre-registered" },
      "host:new",
    ],
    ["nothing of another client", { clientId: "b", clientSecret: "new" }, { clientSecret: "kept" }, "host:kept"],
  ])("sends %s", async (...[, config, client, expected]) => {
    expect((await write(client, { config })).basic).toBe(expected);
  });

  it("signs by the key that is configured, and does not show one that cannot be read", async () => {
    const key = { ...publicJwk, d: "no-private-part" };
    const config = { flow: "client_credentials", clientId: "host", privateKey: { key, algorithm: "ES256" } } as const;
    const failure = write({ way: "program" }, { config });
    await expect(failure).rejects.toMatchObject({ code: "invalid_spec" });
    await expect(failure).rejects.not.toThrow(/no-private-part/);
  });
});
