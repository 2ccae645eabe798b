import { createSecretMemory } from "@hostside/core/implement";
import { describe, expect, it } from "vitest";
import { createTokenWorld, issuer } from "../../test/token-world.ts";
import type { ClientConfig } from "../oauth-options.ts";
import type { StoredClient } from "../accounts/stored-account.ts";
import { authenticateClient, noClient, proofOf, type ClientProof } from "./authenticate-client.ts";

interface Written {
  readonly basic: string | undefined;
  readonly form: Readonly<Record<string, string>>;
  readonly redact: (text: string) => string;
}

async function write(proof: ClientProof, methods?: readonly string[]): Promise<Written> {
  const { clock } = createTokenWorld(() => Promise.reject(new TypeError("no network here")));
  const secrets = createSecretMemory();
  const metadata = { issuer, token_endpoint: `${issuer}/token` };
  const [headers, params] = [new Headers(), new URLSearchParams()];
  const place = { account: { serverId: "notes", secrets }, clock, issuer, metadata, methods };
  await authenticateClient(proof, place)(headers, params, metadata.token_endpoint);
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

  it.each<[string, ClientProof, readonly string[] | undefined, "basic" | "none" | "post"]>([
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
  ])("when %s", async (...[, proof, methods, expected]) => {
    const { basic, form } = await write({ clientId: "host", ...proof }, methods);
    const sent = {
      basic: { basic: "host:a+secret", form: {} },
      post: { basic: undefined, form: { client_id: "host", client_secret: "a secret" } },
      none: { basic: undefined, form: { client_id: "host" } },
    };
    expect({ basic, form }).toEqual(sent[expected]);
  });

  it("proves nothing for nobody", async () => {
    expect(await write({})).toMatchObject({ basic: undefined, form: {} });
  });
});

describe("proofOf()", () => {
  const privateKey = { key: "a key", algorithm: "ES256" };
  it.each<[string, ClientConfig, StoredClient, ClientProof]>([
    [
      "what was kept",
      {},
      { clientId: "a", clientSecret: "kept", way: "dynamic" },
      { clientId: "a", clientSecret: "kept" },
    ],
    [
      "the secret that is configured now",
      { clientId: "a", clientSecret: "new" },
      { clientId: "a", clientSecret: "old", way: "pre-registered" },
      { clientId: "a", clientSecret: "new" },
    ],
    [
      "the key that is configured",
      { flow: "client_credentials", clientId: "a", privateKey },
      { clientId: "a", way: "pre-registered" },
      { clientId: "a", privateKey },
    ],
    [
      "nothing of another client",
      { clientId: "b", clientSecret: "new" },
      { clientId: "a", clientSecret: "kept", way: "pre-registered" },
      { clientId: "a", clientSecret: "kept" },
    ],
    ["nothing for nobody", {}, { clientId: noClient, way: "pre-registered" }, {}],
  ])("is %s", (...[, config, client, expected]) => {
    expect(proofOf({ config }, client)).toEqual(expected);
  });
});
