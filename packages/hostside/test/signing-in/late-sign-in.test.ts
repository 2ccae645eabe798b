import { knownClients, startAuthorizedServer, type AuthorizedServer } from "@hostside/fixtures";
import { createHost } from "hostside";
import { afterAll, beforeAll, expect, it } from "vitest";

let server: AuthorizedServer;
beforeAll(async () => (server = await startAuthorizedServer()));
afterAll(() => server.close());

it.each([
  ["a secret of no client", { clientSecret: "office-secret" }, "clientId"],
  ["a redirect over http", { clientId: "desk", redirectUri: "http://product.example/callback" }, "redirectUri"],
  ["scopes that are none", { clientId: "desk", scopes: ["two words"] }, "scopes"],
])("an entry with %s fails its own server alone", async (_, oauth, member) => {
  const host = await createHost({ servers: { bad: { url: server.url, oauth }, good: { url: server.url } } });
  expect(host.statuses()).toMatchObject([
    { id: "bad", state: "failed", error: { code: "invalid_spec", message: expect.stringContaining(member) } },
    { id: "good", state: "needs-auth", auth: "oauth" },
  ]);
  expect(await host.oauth?.list()).toEqual([]);
  expect(await host.oauth?.signOut("good")).toMatchObject({});
  await host.close();
  await expect(host.oauth?.list()).rejects.toMatchObject({ code: "closed" });
});

it("signs a program in before its first request", async () => {
  const anonymous: string[] = [];
  await using host = await createHost({
    servers: { notes: { url: server.url, oauth: { flow: "client_credentials", ...knownClients.robot } } },
    connector: {
      async fetch(url, init) {
        const isIn = new Headers(init?.headers).has("authorization");
        if (isIn || url !== server.url) return fetch(url, init);
        anonymous.push(String(init?.method));
        return new Response("", { status: 403 });
      },
    },
  });
  expect(host.statuses()).toMatchObject([{ id: "notes", state: "ready" }]);
  expect(anonymous).toEqual([]);
});
