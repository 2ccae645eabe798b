import {
  consentTo,
  fixtureServer,
  startAuthorizedServer,
  startHttpFixture,
  type AuthorizedServer,
} from "@hostside/fixtures";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { fakeTerminal, runIn, type FakeTerminal, type FakeTerminalOptions } from "../fake-terminal.ts";

let server: AuthorizedServer;
let open: Awaited<ReturnType<typeof startHttpFixture>>;
beforeAll(async () => {
  [server, open] = await Promise.all([startAuthorizedServer(), startHttpFixture("modern-http")]);
});
afterAll(async () => {
  await Promise.all([server.close(), open.close()]);
});

function stage(options?: FakeTerminalOptions): FakeTerminal {
  const terminal = fakeTerminal(options);
  onTestFinished(() => terminal[Symbol.dispose]());
  terminal.file("hostside.local.json", {
    servers: {
      notes: { type: "http", url: server.url },
      free: { type: "http", url: open.url },
      program: { type: "stdio", ...fixtureServer("modern-stdio") },
    },
  });
  return terminal;
}

/** Does what a user does who finds a page on the screen, until the work is done. */
async function withUser<Done>(
  terminal: FakeTerminal,
  work: Promise<Done>,
  how: { readonly deny?: boolean } = {},
): Promise<Done> {
  const page = new RegExp(`${server.issuer}/auth\\?\\S+`);
  await expect.poll(() => page.exec(terminal.written.err)?.[0], { interval: 5 }).toBeDefined();
  await fetch(await consentTo(page.exec(terminal.written.err)?.[0] ?? "", how));
  return work;
}

it("signs in once, stays so, shows it, and signs out, without a secret in any text", async () => {
  const terminal = stage();
  const config = ["--config", "hostside.local.json"];
  const before = await runIn(terminal, ["auth", "--json", ...config]);
  expect(JSON.parse(before.out)).toMatchObject({
    folder: `${terminal.home}/.local/state/hostside`,
    accounts: [],
  });
  expect((await runIn(terminal, ["auth", "notes", ...config])).code).toBe(5);

  const first = await withUser(terminal, runIn(terminal, ["login", "notes", ...config]));
  expect(first.code).toBe(0);
  expect(first.out).toMatch(
    /^notes: signed in at \S+, until [\d-]+ [\d:]+ UTC \(\d+ (min|s|h)\), renewed by itself\.\nGranted: .*mcp:use/,
  );

  // Other processes find it: each command opens its own.
  const again = await runIn(terminal, ["login", "notes", ...config]);
  expect([again.code, again.err]).toEqual([0, ""]);
  expect(again.out).toContain("notes: already signed in at");
  const listed = await runIn(terminal, ["list", "notes", "--json", ...config]);
  expect([listed.code, listed.out.includes("whoami")]).toEqual([0, true]);

  const shown = await runIn(terminal, ["auth", "--json", ...config]);
  expect(JSON.parse(shown.out).accounts).toEqual([
    {
      server: "notes",
      state: "signed-in",
      configured: true,
      issuer: server.issuer,
      url: expect.stringContaining("http://127.0.0.1:"),
      clientId: expect.any(String),
      scopes: expect.arrayContaining(["mcp:use"]),
      expiresAt: expect.stringMatching(/^\d{4}-.*Z$/),
      renews: true,
    },
  ]);
  const forgotten = await runIn(terminal, ["auth", "--config", terminal.file("empty.json", { mcpServers: {} })]);
  expect(forgotten.out).toMatch(
    /^notes +signed in +until .*\n +at http:.*\n +not configured any more: hostside logout notes\n/,
  );

  const out = await runIn(terminal, ["logout", "notes", ...config]);
  expect(out).toMatchObject({ code: 0, out: "notes: signed out, and the tokens were revoked.\n" });
  expect((await runIn(terminal, ["logout", "--all", "--json", ...config])).out).toBe('{\n  "accounts": []\n}\n');
  expect((await runIn(terminal, ["auth", "notes", ...config])).code).toBe(5);

  // A page that is shown has what its answer is recognised by, and no more.
  const { out: stdout, err } = terminal.written;
  const pages = err.match(/https?:\S+/g) ?? [];
  const text = pages.reduce((rest, page) => rest.replaceAll(page, ""), stdout + err);
  const secrets = await server.secrets();
  expect(secrets.length).toBeGreaterThan(3);
  expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
});

it("ends with the code of its table when the user says no", async () => {
  const terminal = stage();
  const denied = await withUser(terminal, runIn(terminal, ["login", "notes", "--config", "hostside.local.json"]), {
    deny: true,
  });
  expect(denied).toMatchObject({ code: 5, out: "" });
});

it.each<[string, readonly string[], RegExp]>([
  ["a server that wants no sign-in", ["login", "free"], /^0 Server free wants no sign-in\.\n$/],
  ["a program", ["login", "program"], /^2 error: server "program" takes no sign-in: it is a program on this machine/],
  [
    "a server that is not there",
    ["login", "note"],
    /^2 error: there is no server "note"\nhint: Did you mean "notes"\?/,
  ],
  ["nobody who is signed in", ["logout", "notes"], /^0 notes: nobody was signed in\.\n$/],
  ["no server to sign out of", ["logout"], /^2 error: name one server, or say --all/],
])("says so of %s", async (_, argv, expected) => {
  const terminal = stage();
  const { code, out, err } = await runIn(terminal, [...argv, "--config", "hostside.local.json"]);
  expect(`${code} ${out}${err}`).toMatch(expected);
});
