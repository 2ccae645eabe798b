import { createMemoryCredentials } from "@hostside/auth";
import { createFileCredentials } from "@hostside/auth/node";
import { isHostsideError } from "@hostside/core";
import { knownClients, startAuthorizedServer, type AuthorizedServer } from "@hostside/fixtures";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { useVirtualClock } from "../../../provider/test/simulation/virtual-clock.ts";
import { countOf, serverId, startHost, whoami } from "./signing-host.ts";

// Through the public API alone, with a real authorization server, a real listener, and a user who
// clicks through real pages.

let server: AuthorizedServer;
let folder: string;
beforeAll(async () => {
  [server, folder] = await Promise.all([startAuthorizedServer(), mkdtemp(join(tmpdir(), "hostside-sign-in-"))]);
});
beforeEach(() => server.control({ clearLog: true, reset: true }));
afterAll(async () => {
  await Promise.all([server.close(), rm(folder, { recursive: true })]);
});

describe("a user", () => {
  it("signs in once, and is not asked again after a restart", async () => {
    const store = (): ReturnType<typeof createFileCredentials> =>
      createFileCredentials({ folder: join(folder, "once") });
    {
      await using host = startHost(server, { store: store(), user: "grace" });
      const provider = host.providerFor();
      await provider.init();
      expect(provider.statuses()).toMatchObject([{ state: "needs-auth" }]);
      const signedIn = await host.oauth.authorize(serverId);
      expect(signedIn).toMatchObject({ serverId, issuer: server.issuer, scopes: ["mcp:use"], renews: true });
      await provider.refreshServer(serverId);
      expect(await whoami(provider)).toMatchObject({ user: "grace" });
      expect(host.prompts).toHaveLength(1);
      expect(await host.pages[0]).toContain("My notes");
    }
    await using again = startHost(server, { store: store() });
    const provider = again.providerFor();
    await provider.init();
    expect(await whoami(provider)).toMatchObject({ user: "grace" });
    expect(again.prompts).toHaveLength(0);
    expect(await countOf(server, "registration")).toBe(1);
  });

  it("is asked for the same access whether or not something has connected", async () => {
    for (const isConnected of [false, true]) {
      await using host = startHost(server);
      const provider = host.providerFor();
      if (isConnected) await provider.init();
      expect(await host.oauth.authorize(host.spec)).toMatchObject({ scopes: ["mcp:use"] });
    }
    await using page = startHost(server, { redirect: "https://product.example/callback" });
    const { url } = await page.oauth.begin(page.spec);
    expect(url.searchParams.get("scope")).toBe("mcp:use offline_access");
  });

  it("is neither asked nor registered by init, refresh and calls", async () => {
    await using host = startHost(server);
    const provider = host.providerFor();
    await provider.init();
    await provider.refresh().catch(() => undefined);
    await provider.call(`mcp_${serverId}_whoami`).catch(() => undefined);
    expect(provider.statuses()).toMatchObject([{ state: "needs-auth", error: { code: "auth_required" } }]);
    expect(host.prompts).toHaveLength(0);
    expect(await countOf(server, "registration")).toBe(0);
    expect(await countOf(server, "authorization")).toBe(0);
  });

  it("is not asked when tokens end, neither early nor by a refusal", async () => {
    const clock = useVirtualClock();
    await using host = startHost(server, { redirect: undefined });
    await using signedIn = startHost(server);
    const provider = signedIn.providerFor();
    await signedIn.oauth.authorize(signedIn.spec);
    await provider.init();
    clock.advance(3_590_000); // Ten seconds before the end.
    expect(await whoami(provider)).toMatchObject({ user: "ada" });
    await server.control({ expire: ["access"] });
    expect(await whoami(provider)).toMatchObject({ user: "ada" });
    const grants = (await server.log()).filter(({ endpoint }) => endpoint === "token");
    expect(grants.map(({ params }) => params["grant_type"])).toEqual([
      "authorization_code",
      "refresh_token",
      "refresh_token",
    ]);
    expect(signedIn.prompts).toHaveLength(1);
    expect(host.prompts).toHaveLength(0);
  });

  it("who waits is asked by an operation that says so, and by no other", async () => {
    await using host = startHost(server);
    const provider = host.providerFor();
    await provider.refreshServer(serverId).catch(() => undefined);
    expect(host.prompts).toHaveLength(0);
    await provider.refreshServer(serverId, { interactive: true });
    expect(host.prompts).toHaveLength(1);
    expect(await whoami(provider)).toMatchObject({ user: "ada" });
  });

  it("reads what to do when access was taken back, and signs in again", async () => {
    await using host = startHost(server);
    const provider = host.providerFor();
    await host.oauth.authorize(host.spec);
    await provider.init();
    await server.control({ revoke: true });
    const error: unknown = await whoami(provider).catch((failure: unknown) => failure);
    expect(isHostsideError(error) && [error.code, error.serverId]).toEqual(["auth_required", serverId]);
    expect(provider.statuses()).toMatchObject([{ state: "needs-auth", error: { code: "auth_required" } }]);
    expect(String(error)).toMatch(/sign in/i);
    expect(host.prompts).toHaveLength(1);
    await host.oauth.authorize(serverId);
    await provider.refreshServer(serverId);
    expect(await whoami(provider)).toMatchObject({ user: "ada" });
    expect(await countOf(server, "registration")).toBe(1);
  });
});

describe("two principals", () => {
  it("sign in at the same time and share nothing but the client", async () => {
    await using host = startHost(server);
    const names = ["ada", "grace"];
    await Promise.all(names.map((principal) => host.oauth.authorize(host.spec, { principal })));
    const providers = names.map((principal) => host.providerFor(principal));
    await Promise.all(providers.map((provider) => provider.init()));
    const users = await Promise.all(providers.map((provider) => whoami(provider)));
    expect(users.map(({ user }) => user)).toEqual(names);
    expect(await host.oauth.list()).toMatchObject(names.map((principal) => ({ serverId, principal })));
    await host.oauth.signOut(serverId, { principal: "ada" });
    await expect(whoami(providers[0] ?? host.providerFor())).rejects.toMatchObject({ code: "auth_required" });
    expect(await whoami(providers[1] ?? host.providerFor())).toMatchObject({ user: "grace" });
    const nobody = host.providerFor();
    await nobody.init();
    expect(nobody.statuses()).toMatchObject([{ state: "needs-auth" }]);
  });
});

describe("a client", () => {
  it("is registered once for each issuer, whoever signs in and out", async () => {
    await using host = startHost(server);
    await host.oauth.authorize(host.spec);
    await host.oauth.signOut(serverId);
    await host.oauth.authorize(host.spec);
    await host.oauth.authorize(host.spec, { principal: "grace" });
    expect(await countOf(server, "registration")).toBe(1);
  });

  it("that was registered by hand is used as it is", async () => {
    await using host = startHost(server, { clients: { [serverId]: { ...knownClients.office } } });
    expect(await host.oauth.authorize(host.spec)).toMatchObject({ clientId: "office" });
    expect(await countOf(server, "registration")).toBe(0);
  });

  it("is the product's metadata document where that is understood", async () => {
    const metadataUrl = "https://product.example/client.json";
    const document = {
      client_id: metadataUrl,
      client_name: "Product",
      redirect_uris: ["http://127.0.0.1/callback"],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      application_type: "native",
    };
    await server.control({ documents: { [metadataUrl]: document } });
    await using host = startHost(server, { product: { name: "Product", metadataUrl } });
    expect(await host.oauth.authorize(host.spec)).toMatchObject({ clientId: metadataUrl });
    expect(await countOf(server, "registration")).toBe(0);
  });

  it("is none where nothing is offered, and the error says what was tried", async () => {
    await server.control({ metadata: { registration_endpoint: null, client_id_metadata_document_supported: null } });
    await using helpless = startHost(server);
    await expect(helpless.oauth.authorize(helpless.spec)).rejects.toMatchObject({
      code: "auth_required",
      message: expect.stringMatching(/regist/i) as string,
    });
    expect(helpless.prompts).toHaveLength(0);
  });
});

describe("a program", () => {
  it("signs in as itself, without a user, and again when its token ends", async () => {
    await using host = startHost(server, {
      clients: { [serverId]: { flow: "client_credentials", ...knownClients.robot } },
      redirect: undefined,
      prompt: undefined,
    });
    const provider = host.providerFor();
    await provider.init();
    expect(await whoami(provider)).toMatchObject({ clientId: "robot" });
    await server.control({ expire: ["access"] });
    expect(await whoami(provider)).toMatchObject({ clientId: "robot" });
  });
});

describe("signing out", () => {
  it("revokes the tokens, and nothing opens any more", async () => {
    const store = createMemoryCredentials();
    await using host = startHost(server, { store });
    await host.oauth.authorize(host.spec);
    const provider = host.providerFor();
    await provider.init();
    expect(await host.oauth.signOut(serverId)).toEqual({ existed: true, revoked: true });
    expect(await host.oauth.list()).toEqual([]);
    await expect(whoami(provider)).rejects.toMatchObject({ code: "auth_required" });
    const [access] = (await server.log())
      .filter(({ endpoint }) => endpoint === "mcp")
      .flatMap(({ authorization }) => authorization ?? []);
    const refused = await fetch(server.url, { method: "POST", headers: { authorization: access ?? "" }, body: "{}" });
    expect(refused.status).toBe(401);
    expect(await countOf(server, "revocation")).toBeGreaterThan(0);
  });
});

describe("a tool that needs more", () => {
  it("asks nobody by itself, says so, and works once the user has consented to more", async () => {
    await using host = startHost(server);
    const provider = host.providerFor();
    await provider.init(); // Its challenge says what is needed, which is less than all that there is.
    await host.oauth.authorize(serverId);
    await provider.refreshServer(serverId);
    const error: unknown = await provider.call(`mcp_${serverId}_admin`).catch((failure: unknown) => failure);
    expect(isHostsideError(error) && error.code).toBe("auth_required");
    expect(host.prompts).toHaveLength(1);
    const { scopes } = await host.oauth.authorize(serverId);
    expect(new Set(scopes)).toEqual(new Set(["mcp:use", "mcp:admin"]));
    await expect(provider.call(`mcp_${serverId}_admin`)).resolves.toMatchObject({ isError: false });
  });
});

describe("a server that changes its authorization server", () => {
  it("wants a new sign-in, and neither one gets what is the other's", async () => {
    await using moved = await startAuthorizedServer();
    await using host = startHost(moved);
    await host.oauth.authorize(host.spec);
    const provider = host.providerFor();
    await provider.init();
    const before = await moved.secrets();
    const { issuer } = await moved.control({ migrate: true });
    await expect(whoami(provider)).rejects.toMatchObject({ code: "auth_required" });
    expect(await host.oauth.authorize(serverId)).toMatchObject({ issuer });
    expect(await whoami(provider)).toMatchObject({ user: "ada" });
    const received = (await moved.log()).filter((entry) => entry.server === issuer);
    for (const secret of before) expect(JSON.stringify(received)).not.toContain(secret);
  });
});
