import { consentTo, startAuthorizedServer, type AuthorizationChange, type AuthorizedServer } from "@hostside/fixtures";
import { createHost } from "hostside";
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from "vitest";
import { fakeTerminal, runIn, type FakeTerminal } from "../fake-terminal.ts";

let server: AuthorizedServer;
beforeAll(async () => (server = await startAuthorizedServer()));
beforeEach(() => server.control({ clearLog: true, reset: true }));
afterAll(() => server.close());

const config = ["--config", "hostside.local.json"];

function stage(url: string): FakeTerminal {
  const terminal = fakeTerminal();
  onTestFinished(() => terminal[Symbol.dispose]());
  terminal.file("hostside.local.json", { servers: { notes: { type: "http", url } } });
  return terminal;
}

const page = "<h1>Welcome</h1>";
const answer = (status: number, body: string | Record<string, never> = page): AuthorizationChange => ({
  faults: { "resource-metadata": { do: "answer", status, body } },
});

it.each<[string, AuthorizationChange]>([
  ["is not there", answer(404)],
  ["is forbidden", answer(403)],
  ["is out of order", answer(500)],
  ["is a page", answer(200)],
  ["is other JSON", answer(200, {})],
  ["redirects", { faults: { "resource-metadata": { do: "redirect", to: "same-origin" } } }],
  ["lies elsewhere", { challenge: { resource_metadata: "https://elsewhere.example/oauth-protected-resource" } }],
  ["is no URL", { challenge: { resource_metadata: "oauth-protected-resource" } }],
])("tries no other issuer when the metadata that a refusal names %s", async (_, change) => {
  await server.control(change);
  const terminal = stage(server.url);
  const { code, err } = await runIn(terminal, ["login", "notes", ...config]);
  expect(code).not.toBe(0);
  expect(err).toContain("oauth-protected-resource");
  const asked = (await server.log()).map(({ endpoint }) => endpoint);
  expect(asked.filter((endpoint) => ["authorization", "metadata", "registration", "token"].includes(endpoint))).toEqual(
    [],
  );
});

/** Signs in, and says at which resource. */
async function login(url: string): Promise<string | null> {
  const terminal = stage(url);
  const work = runIn(terminal, ["login", "notes", ...config]);
  const find = (): string | undefined => new RegExp(`${server.issuer}/auth\\?\\S+`).exec(terminal.written.err)?.[0];
  await expect.poll(() => find() ?? terminal.written.err, { interval: 5, timeout: 60_000 }).toMatch(/\/auth\?/);
  const shown = new URL(find() ?? "");
  await fetch(await consentTo(shown));
  expect((await work).code).toBe(0);
  return shown.searchParams.get("resource");
}

it("takes metadata of RFC 8414 at the place of OpenID Connect", async () => {
  await server.control({
    metadata: { jwks_uri: null, subject_types_supported: null, id_token_signing_alg_values_supported: null },
    faults: { metadata: { do: "answer", status: 404, times: 1 } },
  });
  expect(await login(server.url)).toBe(server.url);
});

it("takes metadata that are about the same path with a slash", async () => {
  await server.control({ resourceMetadata: { resource: `${server.url}/` } });
  expect(await login(server.url)).toBe(`${server.url}/`);
});

it("says which scope a tool lacks", async () => {
  await using host = await createHost({
    servers: { notes: { type: "http", url: server.url } },
    auth: {
      async prompt({ url }) {
        void fetch(await consentTo(url)).catch(() => undefined);
        return "completed";
      },
    },
  });
  // So that the first sign-in asks for what the refusal of the server names, and no more.
  await host.oauth?.authorize("notes");
  await host.servers.restart("notes");
  await expect(host.call("mcp_notes_admin")).rejects.toMatchObject({
    code: "auth_required",
    message: expect.stringContaining('the scope "mcp:admin" is missing'),
    details: { missingScopes: ["mcp:admin"] },
  });
});
