import { startAuthorizedServer, type AuthorizedServer, type EndpointFault } from "@hostside/fixtures";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { useVirtualClock } from "../../../provider/test/simulation/virtual-clock.ts";
import { countOf, serverId, startHost, whoami } from "./signing-host.ts";

// A renewal that fails for a reason that passes signs nobody out, and shows nobody a page.

let server: AuthorizedServer;
beforeAll(async () => {
  server = await startAuthorizedServer();
});
beforeEach(() => server.control({ clearLog: true, reset: true }));
afterAll(() => server.close());

const passing: readonly (readonly [string, EndpointFault, string])[] = [
  ["503", { do: "answer", status: 503, times: 1 }, "http_error"],
  ["an HTML page of a proxy", { do: "answer", status: 502, body: "<h1>Bad gateway</h1>", times: 1 }, "http_error"],
  ["429 for seven seconds", { do: "answer", status: 429, headers: { "retry-after": "7" }, times: 1 }, "rate_limited"],
  ["an answer without an end", { do: "flood", bytes: 4_000_000, times: 1 }, "message_too_large"],
];

describe("a renewal that is answered with", () => {
  it.each(passing)("%s keeps the tokens, and the next one works", async (_title, token, code) => {
    const clock = useVirtualClock();
    await using host = startHost(server);
    const provider = host.providerFor();
    await provider.init();
    await host.oauth.authorize(serverId);
    await provider.refreshServer(serverId);
    await server.control({ expire: ["access"], faults: { token } });
    await expect(whoami(provider)).rejects.toMatchObject({ code });
    expect(provider.statuses()).toMatchObject([{ state: "ready" }]);
    clock.advance(7000);
    expect(await whoami(provider)).toMatchObject({ user: "ada" });
    expect(host.prompts).toHaveLength(1);
  });

  it("429 is not asked again before its time", async () => {
    const clock = useVirtualClock();
    await using host = startHost(server);
    await host.oauth.authorize(host.spec);
    const provider = host.providerFor();
    await provider.init();
    const before = await countOf(server, "token");
    const token: EndpointFault = { do: "answer", status: 429, headers: { "retry-after": "7" }, times: 1 };
    await server.control({ expire: ["access"], faults: { token } });
    for (let n = 0; n < 3; n += 1) await expect(whoami(provider)).rejects.toMatchObject({ code: "rate_limited" });
    expect(await countOf(server, "token")).toBe(before + 1);
    clock.advance(7000);
    expect(await whoami(provider)).toMatchObject({ user: "ada" });
  });

  it("nothing at all is given up after 30 seconds, and the next one works", async () => {
    const clock = useVirtualClock();
    await using host = startHost(server);
    await host.oauth.authorize(host.spec);
    const provider = host.providerFor();
    await provider.init();
    await server.control({ clearLog: true, expire: ["access"], faults: { token: { do: "hang", times: 1 } } });
    const renewing = whoami(provider);
    renewing.catch(() => undefined);
    while ((await countOf(server, "token")) === 0); // Each look is a request, so it spins for nobody.
    clock.advance(30_000);
    await expect(renewing).rejects.toMatchObject({ code: "request_timeout" });
    expect(provider.statuses()).toMatchObject([{ state: "ready" }]);
    clock.advance(1000);
    expect(await whoami(provider)).toMatchObject({ user: "ada" });
  });
});

describe("an answer that is lost after the refresh token was used", () => {
  it("costs a sign-in where it counts once", async () => {
    const clock = useVirtualClock();
    await using host = startHost(server);
    await host.oauth.authorize(host.spec);
    const provider = host.providerFor();
    await provider.init();
    await server.control({ expire: ["access"], faults: { token: { do: "lose", times: 1 } } });
    await expect(whoami(provider)).rejects.not.toMatchObject({ code: "auth_required" });
    clock.advance(60_000);
    await expect(whoami(provider)).rejects.toMatchObject({ code: "auth_required" });
    expect(provider.statuses()).toMatchObject([{ state: "needs-auth" }]);
  });

  it("costs nothing where it may be used again for a while", async () => {
    await using patient = await startAuthorizedServer({ graceMs: 60_000 });
    const clock = useVirtualClock();
    await using host = startHost(patient);
    await host.oauth.authorize(host.spec);
    const provider = host.providerFor();
    await provider.init();
    await patient.control({ expire: ["access"], faults: { token: { do: "lose", times: 1 } } });
    await expect(whoami(provider)).rejects.not.toMatchObject({ code: "auth_required" });
    clock.advance(60_000);
    expect(await whoami(provider)).toMatchObject({ user: "ada" });
    expect(host.prompts).toHaveLength(1);
  });
});
