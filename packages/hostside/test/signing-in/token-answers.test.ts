import { consentTo, startAuthorizedServer, type AuthorizedServer } from "@hostside/fixtures";
import { createHost } from "hostside";
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from "vitest";
import { fakeTerminal, runIn } from "../fake-terminal.ts";

const tokens = { access_token: "access-7f3c91d2e4", refresh_token: "refresh-b84d06aa17", token_type: "bearer" };
const secrets = [tokens.access_token, tokens.refresh_token];
const form = new URLSearchParams({ ...tokens, expires_in: "3600", scope: "mcp:use" }).toString();
const json = JSON.stringify(tokens);

let server: AuthorizedServer;
beforeAll(async () => (server = await startAuthorizedServer()));
beforeEach(() => server.control({ reset: true }));
afterAll(() => server.close());

const answerWith = (status: number, contentType: string, body: string): Promise<unknown> =>
  server.control({ faults: { token: { do: "answer", status, headers: { "content-type": contentType }, body } } });

/** Runs `login --json` for a user who consents. */
async function login(): Promise<{ readonly code: number; readonly text: string }> {
  const terminal = fakeTerminal();
  onTestFinished(() => terminal[Symbol.dispose]());
  terminal.file("hostside.local.json", { servers: { notes: { type: "http", url: server.url } } });
  const work = runIn(terminal, ["login", "notes", "--json", "--config", "hostside.local.json"]);
  const page = new RegExp(`${server.issuer}/auth\\?\\S+`);
  await expect.poll(() => page.exec(terminal.written.err)?.[0], { interval: 5 }).toBeDefined();
  await fetch(await consentTo(page.exec(terminal.written.err)?.[0] ?? ""));
  const { code, out, err } = await work;
  return { code, text: out + err };
}

it.each([
  ["application/x-www-form-urlencoded", form],
  ["text/plain; charset=utf-8", `${form}\n`],
])("reads a token answer that is a form, sent as %s", async (type, body) => {
  await answerWith(200, type, body);
  const { code, text } = await login();
  expect([code, secrets.filter((secret) => text.includes(secret))]).toEqual([0, []]);
});

it.each<[string, readonly [status: number, type: string, body: string]]>([
  ["text before JSON", [200, "application/json", `Warning: deprecated in /srv/token.php\n${json}`]],
  ["JSON that is cut off", [200, "application/json", json.slice(0, -12)]],
  ["a token alone", [200, "text/plain", tokens.access_token]],
  ["a JSON text", [200, "application/json", JSON.stringify(json)]],
  ["a JSON array", [200, "application/json", `[${json}]`]],
  ["tokens in an object within", [200, "application/json", JSON.stringify({ data: tokens })]],
  ["a token type that nothing can use", [200, "application/json", JSON.stringify({ ...tokens, token_type: "mac" })]],
  ["a description without an error", [200, "application/json", JSON.stringify({ error_description: json })]],
  ["a form within a page", [200, "text/html", `<pre>${form}</pre>`]],
  ["a page about the token", [400, "text/html", `<p>Bad request: ${json}</p>`]],
  ["an error that is no code", [400, "application/json", JSON.stringify({ error: json })]],
])("quotes nothing of a token answer that is %s", async (_, [status, type, body]) => {
  await answerWith(status, type, body);
  const { code, text } = await login();
  expect(code).toBe(status === 400 ? 5 : 4);
  expect(text).toContain(`HTTP ${status}`);
  expect(text).toContain(type);
  expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
});

it("says the code and the description of an OAuth error", async () => {
  const body = JSON.stringify({ error: "invalid_request", error_description: "The app is suspended." });
  await answerWith(400, "application/json", body);
  expect(await login()).toMatchObject({ code: 5, text: expect.stringContaining("The app is suspended.") });
});

it("shows a model nothing of a token answer that cannot be read", async () => {
  await answerWith(200, "text/plain", `ok ${form}`);
  await using host = await createHost({
    servers: { notes: { type: "http", url: server.url } },
    authenticateTools: true,
    auth: {
      async prompt({ url }) {
        void fetch(await consentTo(url)).catch(() => undefined);
        return "completed";
      },
    },
  });
  const conversation = await host.conversation();
  const name = conversation.tools().find((tool) => tool.name.includes("authenticate"))?.name ?? "";
  const text = JSON.stringify(await conversation.call(name).catch((error: unknown) => String(error)));
  expect(text).toContain("HTTP 200");
  expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
});
