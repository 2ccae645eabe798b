import { consentTo, startAuthorizedServer, type AuthorizedServer } from "@hostside/fixtures";
import { createHost } from "hostside";
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from "vitest";
import { fakeTerminal, runIn, type FakeTerminal } from "../fake-terminal.ts";

// An authorization server that was set up anew knows no client of before: its page is an error, and
// nobody comes back from it.

let server: AuthorizedServer;
beforeAll(async () => (server = await startAuthorizedServer()));
beforeEach(() => server.control({ clearLog: true, reset: true }));
afterAll(() => server.close());

const config = ["--config", "hostside.local.json"];

function stage(): FakeTerminal {
  const terminal = fakeTerminal();
  onTestFinished(() => terminal[Symbol.dispose]());
  const entry = { type: "http", url: server.url };
  terminal.file("hostside.local.json", { servers: { notes: entry, other: entry } });
  return terminal;
}

/** The page that a command shows next. */
async function pageOf(terminal: FakeTerminal, from: number): Promise<string> {
  const find = (): string | undefined =>
    new RegExp(`${server.issuer}/auth\\?\\S+`).exec(terminal.written.err.slice(from))?.[0];
  await expect.poll(find, { interval: 5, timeout: 60_000 }).toBeDefined();
  return find() ?? "";
}

async function login(terminal: FakeTerminal, ...argv: readonly string[]): Promise<number> {
  const from = terminal.written.err.length;
  const work = runIn(terminal, ["login", ...argv, ...config]);
  const page = await Promise.race([pageOf(terminal, from), work]);
  if (typeof page === "string") await fetch(await consentTo(page));
  return (await work).code;
}

it("registers anew by login --again", async () => {
  const terminal = stage();
  expect(await login(terminal, "notes")).toBe(0);
  await server.control({ forget: ["clients"] });
  expect(await login(terminal, "notes", "--again")).toBe(0);
});

it("registers anew after a logout", async () => {
  const terminal = stage();
  expect(await login(terminal, "notes")).toBe(0);
  await server.control({ forget: ["clients"] });
  expect((await runIn(terminal, ["logout", "notes", ...config])).code).toBe(0);
  expect(await login(terminal, "notes")).toBe(0);
});

it("registers anew after a logout of a server that nobody was signed in to", async () => {
  const terminal = stage();
  expect(await login(terminal, "notes")).toBe(0);
  await server.control({ forget: ["clients"] });
  expect((await runIn(terminal, ["logout", "other", ...config])).code).toBe(0);
  expect(await login(terminal, "other")).toBe(0);
});

it("registers anew after Ctrl-C at the page", async () => {
  const terminal = stage();
  expect(await login(terminal, "notes")).toBe(0);
  await server.control({ forget: ["clients"] });
  const from = terminal.written.err.length;
  const given = runIn(terminal, ["login", "other", ...config]);
  expect((await fetch(await pageOf(terminal, from))).status).toBe(400);
  terminal.interrupt();
  expect((await given).code).not.toBe(0);
  const next = fakeTerminal();
  onTestFinished(() => next[Symbol.dispose]());
  expect(await login({ ...terminal, signal: next.signal }, "other")).toBe(0);
});

it("registers anew after a caller has given up at the page", async () => {
  const pages: URL[] = [];
  let comesBack = true;
  await using host = await createHost({
    servers: { notes: { type: "http", url: server.url } },
    auth: {
      async prompt({ url }) {
        pages.push(url);
        if (comesBack) void fetch(await consentTo(url)).catch(() => undefined);
        return "completed";
      },
    },
  });
  const { oauth } = host;
  await oauth?.authorize("notes");
  await oauth?.signOut("notes");
  await server.control({ forget: ["clients"] });
  comesBack = false;
  const caller = new AbortController();
  const given = oauth?.authorize("notes", { signal: caller.signal });
  await expect.poll(() => pages.length, { interval: 5, timeout: 60_000 }).toBe(2);
  caller.abort();
  await expect(given).rejects.toMatchObject({ code: "aborted" });
  comesBack = true;
  expect(await oauth?.authorize("notes")).toMatchObject({ serverId: "notes" });
});
