import { consentTo, startAuthorizedServer, type AuthorizationChange, type AuthorizedServer } from "@hostside/fixtures";
import { createHost, type Host, type HostOptions } from "hostside";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";

let server: AuthorizedServer;
beforeAll(async () => (server = await startAuthorizedServer()));
beforeEach(() => server.control({ clearLog: true, reset: true }));
afterAll(() => server.close());

async function signedInHost(
  oauth: { readonly resource?: false } = {},
): Promise<{ readonly host: Host; readonly pages: URL[] }> {
  const pages: URL[] = [];
  const options: HostOptions = {
    servers: { notes: { type: "http", url: server.url, oauth } },
    auth: {
      async prompt({ url }) {
        pages.push(url);
        void fetch(await consentTo(url)).catch(() => undefined);
        return "completed";
      },
    },
  };
  const host = await createHost(options);
  await host.oauth?.authorize("notes");
  // The fixture takes no token without an audience.
  if (oauth.resource !== false) await host.servers.restart("notes");
  return { host, pages };
}

/** The forms that the token endpoint was sent. */
async function grants(): Promise<readonly Readonly<Record<string, string>>[]> {
  return (await server.log()).filter(({ endpoint }) => endpoint === "token").map(({ params }) => params);
}

/** Has the token endpoint refuse its next request. */
const refuseOnce = (error: string): AuthorizationChange => ({
  faults: { token: { do: "answer", status: 400, body: { error }, times: 1 } },
});

it("asks for the scope that was granted when it renews", async () => {
  const { host, pages } = await signedInHost();
  await using _ = host;
  await server.control({ expire: ["access"] });
  const conversation = await host.conversation();
  expect(await conversation.call("mcp_notes_whoami")).toMatchObject({ isError: false });
  expect(await grants()).toMatchObject([
    { grant_type: "authorization_code" },
    { grant_type: "refresh_token", scope: expect.stringContaining("mcp:use") },
  ]);
  expect(pages).toHaveLength(1);
});

it.each([
  ["invalid_target", "resource"],
  ["invalid_request", "resource"],
  ["invalid_scope", "scope"],
])("renews without what is answered %s, once, and keeps the sign-in", async (error, parameter) => {
  const { host, pages } = await signedInHost();
  await using _ = host;
  await server.control({ ...refuseOnce(error), expire: ["access"] });
  const conversation = await host.conversation();
  expect(await conversation.call("mcp_notes_whoami")).toMatchObject({ isError: false });
  const [, first, second, ...more] = await grants();
  expect([Object.hasOwn(first ?? {}, parameter), Object.hasOwn(second ?? {}, parameter), more]).toEqual([
    true,
    false,
    [],
  ]);
  // What an authorization server does not take is not sent to it again.
  await server.control({ expire: ["access"] });
  await conversation.call("mcp_notes_whoami");
  expect(Object.hasOwn((await grants()).at(-1) ?? {}, "resource")).toBe(parameter === "scope");
  expect(pages).toHaveLength(1);
});

it("signs in where the token endpoint refuses the resource", async () => {
  await server.control(refuseOnce("invalid_target"));
  const { host } = await signedInHost();
  await using _ = host;
  expect((await grants()).map((form) => Object.hasOwn(form, "resource"))).toEqual([true, false]);
});

it("sends no resource anywhere when the settings say so", async () => {
  await server.control({ clearLog: true });
  const { host, pages } = await signedInHost({ resource: false });
  await using _ = host;
  expect(pages[0]?.searchParams.has("resource")).toBe(false);
  expect(await grants()).toEqual([expect.not.objectContaining({ resource: expect.anything() })]);
});

it("says which parameter was refused, and how to leave it out", async () => {
  await server.control({ callback: { code: null, error: "invalid_target" } });
  await expect(signedInHost()).rejects.toMatchObject({
    code: "auth_required",
    message: expect.stringMatching(/invalid_target; .*"resource".*resource: false/),
  });
});

it.each([
  [400, "<p>Bad request</p>"],
  [401, ""],
  [403, "<p>Forbidden</p>"],
  [404, "not found"],
])("asks for a sign-in when a renewal is answered by %s without a code", async (status, body) => {
  const { host } = await signedInHost();
  await using _ = host;
  await server.control({ faults: { token: { do: "answer", status, body } }, expire: ["access"] });
  const conversation = await host.conversation();
  await expect(conversation.call("mcp_notes_whoami")).rejects.toMatchObject({
    code: "auth_required",
    message: expect.stringContaining(`HTTP ${status}`),
  });
  expect(host.statuses()).toMatchObject([{ id: "notes", state: "needs-auth" }]);
});
