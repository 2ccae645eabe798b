import { createOAuth } from "@hostside/auth";
import { createFileCredentials, loopbackRedirect } from "@hostside/auth/node";
import { consentTo, knownClients, startAuthorizedServer, type AuthorizedServer } from "@hostside/fixtures";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { useVirtualClock } from "../../../provider/test/simulation/virtual-clock.ts";
import { countOf, serverId, startHost, whoami } from "./signing-host.ts";

// Who is asked, what becomes of it, and who may carry it on.

let server: AuthorizedServer;
beforeAll(async () => {
  server = await startAuthorizedServer();
});
beforeEach(() => server.control({ clearLog: true, reset: true }));
afterAll(() => server.close());

describe("a prompt", () => {
  it("that is not there is a clear error, and nothing was sent to anybody", async () => {
    await using host = startHost(server, { prompt: undefined });
    await expect(host.oauth.authorize(host.spec)).rejects.toMatchObject({
      code: "unsupported_operation",
      message: expect.stringContaining("prompt") as string,
    });
    expect(await countOf(server, "registration")).toBe(0);
  });

  it("that a user cancels leaves the server needs-auth, and the next one works", async () => {
    let isCancelled = true;
    await using host = startHost(server, {
      async prompt({ url }) {
        if (isCancelled) return "cancelled";
        void fetch(await consentTo(url)).catch(() => undefined);
        return "completed";
      },
    });
    const provider = host.providerFor();
    await provider.init();
    await expect(host.oauth.authorize(serverId)).rejects.toMatchObject({ code: "auth_required" });
    expect(provider.statuses()).toMatchObject([{ state: "needs-auth" }]);
    isCancelled = false;
    await host.oauth.authorize(serverId);
    await provider.refreshServer(serverId);
    expect(provider.statuses()).toMatchObject([{ state: "ready" }]);
  });

  it("that fails itself is a failure with its reason, and listens to nobody any more", async () => {
    const urls: URL[] = [];
    await using host = startHost(server, {
      async prompt({ url }) {
        urls.push(url);
        throw new Error("there is no display");
      },
    });
    await expect(host.oauth.authorize(host.spec)).rejects.toThrow(/no display/);
    const redirectUri = urls[0]?.searchParams.get("redirect_uri") ?? "";
    await expect(fetch(redirectUri)).rejects.toThrow("fetch failed");
  });

  it("that takes the URL from a user who pastes it needs no listener (SSH)", async () => {
    await using host = startHost(server, {
      prompt: async ({ url }) => ({ callbackUrl: (await consentTo(url, { user: "grace" })).href }),
    });
    await host.oauth.authorize(host.spec);
    const provider = host.providerFor();
    await provider.init();
    expect(await whoami(provider)).toMatchObject({ user: "grace" });
  });

  it("is shown once for two who sign in at the same time", async () => {
    await using host = startHost(server);
    await Promise.all([host.oauth.authorize(host.spec), host.oauth.authorize(host.spec)]);
    expect(host.prompts).toHaveLength(1);
  });

  it("that nobody answers is over after two minutes, and so is the listener", async () => {
    const clock = useVirtualClock();
    let shown: (url: URL) => void = () => {};
    const page = new Promise<URL>((resolve) => (shown = resolve));
    await using host = startHost(server, {
      redirect: loopbackRedirect(),
      async prompt({ url }) {
        shown(url);
        return "completed";
      },
    });
    const signingIn = host.oauth.authorize(host.spec);
    signingIn.catch(() => undefined);
    const redirectUri = (await page).searchParams.get("redirect_uri") ?? "";
    clock.advance(119_999);
    expect((await fetch(redirectUri)).status).toBeGreaterThanOrEqual(400); // Somebody listens, and it is not for this.
    clock.advance(1);
    await expect(signingIn).rejects.toMatchObject({ code: "auth_required" });
    await expect(fetch(redirectUri)).rejects.toThrow("fetch failed");
  });

  it("is over when the host says so, and when nobody waits any more", async () => {
    await using host = startHost(server, { prompt: () => new Promise(() => {}) });
    const stop = new AbortController();
    const aborted = host.oauth.authorize(host.spec, { signal: stop.signal, principal: "ada" });
    const cancelled = host.oauth.authorize(host.spec, { principal: "grace" });
    const closed = host.oauth.authorize(host.spec);
    for (const one of [aborted, cancelled, closed]) one.catch(() => undefined);
    stop.abort();
    await expect(aborted).rejects.toMatchObject({ code: "aborted" });
    expect(await host.oauth.cancel(serverId, { principal: "nobody" })).toBe(false);
    await host.oauth.close();
    await expect(cancelled).rejects.toMatchObject({ code: "closed" });
    await expect(closed).rejects.toMatchObject({ code: "closed" });
  });
});

describe("begin and complete", () => {
  const redirect = "https://product.example/callback";
  const clients = { [serverId]: { ...knownClients.desk } };

  it("may happen in two processes that share a store", async () => {
    const folder = await mkdtemp(join(tmpdir(), "hostside-two-processes-"));
    try {
      const program = `
        import { createOAuth } from "@hostside/auth";
        import { createFileCredentials } from "@hostside/auth/node";
        const [folder, url] = process.argv.slice(1);
        await using oauth = createOAuth({
          store: createFileCredentials({ folder }), redirect: ${JSON.stringify(redirect)}, clients: ${JSON.stringify(clients)},
        });
        const begun = await oauth.begin({ id: ${JSON.stringify(serverId)}, url, auth: "oauth" }, { principal: "ada" });
        console.log(begun.url.href);`.replace("await using oauth", "const oauth");
      const args = ["--input-type=module", "-e", program, folder, server.url];
      const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname });
      const callback = await consentTo(stdout.trim(), { user: "grace" });
      await using oauth = createOAuth({ store: createFileCredentials({ folder }), redirect, clients });
      expect(await oauth.complete(callback, { principal: "ada" })).toMatchObject({
        serverId,
        principal: "ada",
        issuer: server.issuer,
      });
      await using host = startHost(server, { store: createFileCredentials({ folder }), clients });
      const provider = host.providerFor("ada");
      await provider.init();
      expect(await whoami(provider)).toMatchObject({ user: "grace" });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("end with cancel: what comes back later is refused", async () => {
    await using host = startHost(server, { redirect, clients });
    const { url } = await host.oauth.begin(host.spec);
    const callback = await consentTo(url);
    expect(await host.oauth.cancel(serverId)).toBe(true);
    await expect(host.oauth.complete(callback)).rejects.toMatchObject({ code: "auth_required" });
    expect(await host.oauth.cancel(serverId)).toBe(false);
    expect(await countOf(server, "token")).toBe(0);
  });
});

describe("tokens that are bound to a key", () => {
  it("work with nonces of both servers, through renewal and restart (RFC 9449)", async () => {
    const folder = await mkdtemp(join(tmpdir(), "hostside-dpop-"));
    await using strict = await startAuthorizedServer({ dpop: "required-with-nonce" });
    try {
      const store = (): ReturnType<typeof createFileCredentials> => createFileCredentials({ folder });
      {
        await using host = startHost(strict, { store: store() });
        await host.oauth.authorize(host.spec);
        const provider = host.providerFor();
        await provider.init();
        await strict.control({ expire: ["access"] });
        expect(await whoami(provider)).toMatchObject({ user: "ada" });
      }
      await using again = startHost(strict, { store: store() });
      const provider = again.providerFor();
      await provider.init();
      await strict.control({ expire: ["access"] });
      expect(await whoami(provider)).toMatchObject({ user: "ada" });
      expect(again.prompts).toHaveLength(0);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
