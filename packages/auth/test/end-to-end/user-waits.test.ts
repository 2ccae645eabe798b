import { consentTo, startAuthorizedServer, type AuthorizedServer } from "@hostside/fixtures";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { useVirtualClock } from "../../../provider/test/simulation/virtual-clock.ts";
import { serverId, startHost, whoami } from "./signing-host.ts";

// A provider's operations that may ask a user, who takes longer than they wait.

let server: AuthorizedServer;
beforeAll(async () => {
  server = await startAuthorizedServer();
});
beforeEach(() => server.control({ clearLog: true, reset: true }));
afterAll(() => server.close());

/** A host whose user is shown a page and takes their time. */
function startSlowHost() {
  const clock = useVirtualClock();
  const pages: URL[] = [];
  let show: (url: URL) => void = () => {};
  const shown = new Promise<URL>((resolve) => (show = resolve));
  const host = startHost(server, {
    async prompt({ url }) {
      pages.push(url);
      show(url);
      return "completed";
    },
  });
  return { host, clock, pages, shown };
}

const comeBack = async (page: URL): Promise<string> => (await fetch(await consentTo(page))).text();

describe("a user who is still at the page when the operation that asked has ended", () => {
  it("is waited for: the next operation finds the tokens", async () => {
    const { host, clock, pages, shown } = startSlowHost();
    await using _ = host;
    const provider = host.providerFor();
    await provider.init();
    const asking = provider.refreshServer(serverId, { interactive: true });
    asking.catch(() => undefined);
    const page = await shown;
    clock.advance(60_000);
    await expect(asking).rejects.toMatchObject({ code: "connect_timeout" });
    expect(await comeBack(page)).toContain("My notes");
    await provider.refreshServer(serverId);
    expect(await whoami(provider)).toMatchObject({ user: "ada" });
    expect(pages).toHaveLength(1);
  });

  it("is not asked again: who asks meanwhile waits for the same page, and who may not ask hears of it", async () => {
    const { host, clock, pages, shown } = startSlowHost();
    await using _ = host;
    const provider = host.providerFor();
    await provider.init();
    const first = provider.refreshServer(serverId, { interactive: true });
    first.catch(() => undefined);
    const page = await shown;
    clock.advance(60_000);
    await expect(first).rejects.toMatchObject({ code: "connect_timeout" });
    await expect(provider.refreshServer(serverId)).rejects.toMatchObject({ code: "auth_required" });
    const second = provider.refreshServer(serverId, { interactive: true });
    await Promise.all([second, comeBack(page)]);
    expect(await whoami(provider)).toMatchObject({ user: "ada" });
    expect(pages).toHaveLength(1);
  });
});

describe("a scope that nobody was there to grant", () => {
  it("is asked for on the next connection that a user waits for", async () => {
    await using host = startHost(server);
    const provider = host.providerFor();
    await provider.init();
    await host.oauth.authorize(serverId);
    await provider.refreshServer(serverId);
    await expect(provider.call(`mcp_${serverId}_admin`)).rejects.toMatchObject({ code: "auth_required" });
    await provider.disconnectServer(serverId);
    await provider.refreshServer(serverId);
    expect(host.prompts).toHaveLength(1);
    await provider.disconnectServer(serverId);
    await provider.refreshServer(serverId, { interactive: true });
    expect(host.prompts[1]?.url.searchParams.get("scope")).toContain("mcp:admin");
    await expect(provider.call(`mcp_${serverId}_admin`)).resolves.toMatchObject({ isError: false });
    await provider.refreshServer(serverId, { interactive: true });
    expect(host.prompts).toHaveLength(2);
  });
});
