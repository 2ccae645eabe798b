import { HostsideError, type ServerCredentials } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { startOAuthServer, type OAuthServer, type Refusal } from "../../../test/oauth-server.ts";
import { openHttpTransport, thrownBy, type OpenedHttp } from "../../../test/open-http-transport.ts";

const unless =
  (...good: readonly string[]) =>
  (token: string | undefined): Refusal | undefined =>
    token !== undefined && good.includes(token) ? undefined : { status: 401, challenge: 'Bearer scope="read"' };

/** Opens a transport whose credentials are a token that cannot be renewed. */
async function open(server: OAuthServer, token: string | (() => Promise<string>)): Promise<OpenedHttp> {
  const credentials: ServerCredentials = {
    headersFor: async () => ({ authorization: `Bearer ${typeof token === "string" ? token : await token()}` }),
    onRefused: () => Promise.reject(new HostsideError("there are no others", { code: "auth_required" })),
  };
  return openHttpTransport({ url: server.url, transport: { auth: "oauth" }, authProvider: () => credentials });
}

describe("auth: oauth", () => {
  it("needs a provider", async () => {
    const spec = { url: "https://example.com", transport: { auth: "oauth" } } as const;
    for (const authProvider of [undefined, () => undefined]) {
      expect(await thrownBy(openHttpTransport({ ...spec, authProvider }))).toMatchObject({
        code: "invalid_spec",
        details: { field: "auth" },
      });
    }
  });

  it("is not asked for where the spec does not say so", async () => {
    await using server = await startOAuthServer({ refuse: unless("good") });
    await using web = await openHttpTransport({ url: server.url, authProvider: () => expect.unreachable() });
    expect(await thrownBy(web.request(1))).toMatchObject({
      code: "auth_required",
      outcome: "failed",
      details: { challenge: 'Bearer scope="read"', httpStatus: 401 },
    });
  });

  it("is not answered by the requests in the background: closing asks nobody", async () => {
    await using server = await startOAuthServer({
      refuse: (_token, { method }) => (method === "POST" ? undefined : { status: 401 }),
    });
    const web = await open(server, "good");
    await web.handshake();
    await expect.poll(() => server.paths.at(-1)).toBe("GET /mcp");
    await web.transport.close();
  });

  it("fails before anything is sent where the token is one that no header can carry", async () => {
    await using server = await startOAuthServer({ refuse: () => undefined });
    await using web = await open(server, "a\r\nx-evil: 1");
    expect(await thrownBy(web.request(1))).toMatchObject({ code: "auth_required" });
    expect(server.paths).toEqual([]);
  });

  it("can be cancelled while credentials are asked for", async () => {
    await using server = await startOAuthServer({ refuse: () => undefined });
    await using web = await open(server, () => new Promise(() => undefined));
    const failure = thrownBy(web.request(1));
    web.transport.takeBack?.(1);
    expect(await failure).toMatchObject({ code: "aborted" });
    expect(server.paths).toEqual([]);
  });
});
