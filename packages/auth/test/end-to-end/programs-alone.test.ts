import { createOAuth } from "@hostside/auth";
import { startFaultServer } from "@hostside/fixtures";
import { createConnector } from "@hostside/transports";
import { expect, it } from "vitest";

const hooks = { onToolsChanged: () => {}, onDown: () => {} };

// RFC 8414, section 2: an authorization endpoint is required unless no grant type is supported that
// uses one.
it.each([undefined, "proof", "nonce"] as const)(
  "signs a program in where the authorization server has no page for users, with DPoP: %s",
  async (dpop) => {
    const authorization = { clientId: "robot", clientSecret: "robot-secret", ...(dpop !== undefined && { dpop }) };
    await using server = await startFaultServer({ transport: "http", script: { http: { authorization } } });
    const flow = "client_credentials";
    const oauth = createOAuth({ clients: { one: { flow, clientId: "robot", clientSecret: "robot-secret" } } });
    const connector = createConnector({ authProvider: oauth.authProvider });
    const spec = { id: "one", ...server.spec, auth: "oauth" } as const;
    const connection = await connector.connect(spec, hooks, AbortSignal.timeout(10_000));
    for (const text of ["a", "b", "c", "d", "e", "f"]) await connection.callTool("append", { text });
    expect(server.ledger().map(({ args }) => args["text"])).toEqual(["a", "b", "c", "d", "e", "f"]);
    await connection.close();
    await oauth.close();
  },
);

it("shows nobody a page that an authorization server does not have", async () => {
  const authorization = { clientId: "robot", clientSecret: "robot-secret" };
  await using server = await startFaultServer({ transport: "http", script: { http: { authorization } } });
  const clients = { one: { clientId: "desk" } };
  const oauth = createOAuth({ clients, redirect: "https://product.example/callback" });
  const spec = { id: "one", ...server.spec, auth: "oauth" } as const;
  await expect(oauth.begin(spec)).rejects.toMatchObject({
    code: "auth_required",
    message: expect.stringContaining("has no page for users"),
  });
  await oauth.close();
});
