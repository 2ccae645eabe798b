import { once } from "node:events";
import { createServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { loopbackRedirect, type LoopbackRedirectOptions } from "../src/node/loopback-redirect.ts";
import type { RedirectExpectation, RedirectListener } from "../src/oauth-options.ts";
import { openSocket, visit } from "./ask-listener.ts";
import { useManualClock } from "../../../test/manual-clock.ts";

const state = "state-of-the-one-who-is-waited-for";

async function listen(
  options: LoopbackRedirectOptions = {},
  expected: Partial<RedirectExpectation> = {},
): Promise<RedirectListener> {
  const signal = new AbortController().signal;
  const listener = await loopbackRedirect(options).listen({ serverId: "wiki", title: "Wiki", signal, ...expected });
  onTestFinished(() => listener.close());
  return listener;
}

/** Waits until nobody listens at a URL any more. */
async function expectClosed(url: string): Promise<void> {
  await expect(visit(url)).rejects.toMatchObject({ code: "ECONNREFUSED" });
}

async function takePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

async function freePort(): Promise<number> {
  const listener = await listen();
  await listener.close();
  return Number(new URL(listener.redirectUri).port);
}

describe("a user who comes back", () => {
  it("brings the code to this machine, and is shown that it worked once it has", async () => {
    const listener = await listen();
    expect(listener.redirectUri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    const received = listener.receive(state);
    let shown = false;
    const reply = visit(`${listener.redirectUri}?code=a%2Fb&state=${state}&iss=x`).finally(() => (shown = true));
    expect((await received).href).toBe(`${listener.redirectUri}?code=a%2Fb&state=${state}&iss=x`);
    expect(shown).toBe(false);
    await listener.close("signed-in");
    expect(await reply).toMatchObject({ status: 200, text: expect.stringContaining("<h1>Signed in to Wiki</h1>") });
    expect((await reply).text).toContain("You can close this window");
    await expectClosed(listener.redirectUri);
  });

  it("is shown that it did not work, and brings the refusal of the authorization server", async () => {
    const listener = await listen();
    const received = listener.receive(state);
    const reply = visit(`${listener.redirectUri}?error=access_denied&state=${state}`);
    expect((await received).searchParams.get("error")).toBe("access_denied");
    await listener.close("failed");
    expect((await reply).text).toContain("<h1>Not signed in to Wiki</h1>");
  });

  it("is shown after 15 seconds that the answer has arrived, and nothing is open then", async () => {
    const clock = useManualClock();
    const listener = await listen();
    const received = listener.receive(state);
    const reply = visit(`${listener.redirectUri}?code=a&state=${state}`);
    await received;
    clock.advance(15_000);
    expect((await reply).text).toContain("Your answer for Wiki has arrived");
    await listener.close("signed-in");
    await expectClosed(listener.redirectUri);
  });

  it("gets a page without scripts and without anything from elsewhere, in which a title is a text", async () => {
    const listener = await listen({}, { title: "<script>alert(1)</script>&\u202e\"'" });
    const received = listener.receive(state);
    const reply = visit(`${listener.redirectUri}?code=a&state=${state}`);
    await received;
    await listener.close("signed-in");
    const { headers, text } = await reply;
    expect(text).toContain("Signed in to &#60;script&#62;alert(1)&#60;/script&#62;&#38;&#34;&#39;</h1>");
    expect(text).not.toMatch(/<script|src=|href=|url\(|\u202e/);
    expect(headers).toMatchObject({
      "content-security-policy": expect.stringMatching(/^default-src 'none'; base-uri 'none'; /),
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "content-type": "text/html; charset=utf-8",
    });
    expect(text).toContain('content="light dark"');
  });

  it("is answered a second time without ending or changing anything", async () => {
    const listener = await listen();
    const received = listener.receive(state);
    const first = visit(`${listener.redirectUri}?code=first&state=${state}`);
    await received;
    expect(await visit(`${listener.redirectUri}?code=second&state=${state}`)).toMatchObject({
      status: 409,
      text: expect.stringContaining("Already done"),
    });
    await listener.close("signed-in");
    expect((await first).text).toContain("Signed in");
    expect((await received).searchParams.get("code")).toBe("first");
  });
});

describe("somebody else who comes", () => {
  it.each([
    ["without a state", "code=evil"],
    ["with a wrong one", "code=evil&state=another"],
    ["with one that begins as the right one", `code=evil&state=${state.slice(0, -1)}`],
    ["with an error alone", "error=access_denied"],
    ["with two", `code=evil&state=${state}&state=another`],
  ])("ends nothing and brings nothing in: %s", async (_, query) => {
    const listener = await listen();
    const received = listener.receive(state);
    expect(await visit(`${listener.redirectUri}?${query}`)).toMatchObject({
      status: 400,
      text: expect.stringContaining("not the sign-in that is waited for"),
    });
    void visit(`${listener.redirectUri}?code=good&state=${state}`).catch(() => {});
    expect((await received).searchParams.get("code")).toBe("good");
  });

  it("brings nothing in before anybody is waited for", async () => {
    const listener = await listen();
    expect(await visit(`${listener.redirectUri}?code=a&state=${state}`)).toMatchObject({ status: 400 });
    expect(await visit(`${listener.redirectUri}?code=a&state=`)).toMatchObject({ status: 400 });
  });

  it.each<[string, Parameters<typeof visit>[1]]>([
    ["HEAD", { method: "HEAD" }],
    ["POST", { method: "POST" }],
    ["OPTIONS", { method: "OPTIONS" }],
    ["a name of its own for this machine (DNS rebinding)", { headers: { host: "evil.example" } }],
    ["the name without the port", { headers: { host: "127.0.0.1" } }],
    ["another name for this machine", { headers: { host: "localhost:1" } }],
    ["a page that a browser loads ahead of time", { headers: { "sec-purpose": "prefetch;prerender" } }],
    ["an icon", { target: "/favicon.ico" }],
    ["a longer path", { target: `/callback/?code=a&state=${state}` }],
    ["a path that resolves to it", { target: `/x/../callback?code=a&state=${state}` }],
    ["a whole URL", { target: `http://127.0.0.1/callback?code=a&state=${state}` }],
  ])("gets nothing and consumes nothing: %s", async (_, how) => {
    const listener = await listen();
    const received = listener.receive(state);
    expect(await visit(`${listener.redirectUri}?code=a&state=${state}`, how)).toMatchObject({ status: 404 });
    void visit(`${listener.redirectUri}?code=good&state=${state}`).catch(() => {});
    expect((await received).searchParams.get("code")).toBe("good");
  });

  it("cannot keep the user out by connections that say nothing, nor by a head without an end", async () => {
    const listener = await listen();
    const received = listener.receive(state);
    const heads = ["", "GET ", "GET /callback HTTP/1.1\r\nX: "];
    const opening = Array.from({ length: 39 }, (_, index) => openSocket(listener.redirectUri, heads[index % 3]));
    const sockets = await Promise.all(opening);
    const ended = Promise.all(sockets.map((socket) => once(socket.resume(), "close")));
    onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
    const big = await visit(`${listener.redirectUri}?code=${"x".repeat(20_000)}&state=${state}`).catch(() => undefined);
    expect(big?.status ?? 431).toBe(431);
    const reply = visit(`${listener.redirectUri}?code=good&state=${state}`);
    await received;
    // By the time that a head may take, while the listener is open.
    await ended;
    await listener.close("signed-in");
    expect((await reply).text).toContain("Signed in");
  });
});

describe("the wait for a user", () => {
  it("ends after two minutes, and says for whom, where and how long was waited", async () => {
    const clock = useManualClock();
    const listener = await listen();
    const received = listener.receive(state);
    clock.advance(119_999);
    expect((await visit(listener.redirectUri)).status).toBe(400);
    clock.advance(1);
    await expect(received).rejects.toMatchObject({
      code: "auth_required",
      serverId: "wiki",
      rawMessage: `server "wiki": nobody came back from the authorization page to ${listener.redirectUri} within 120000 ms`,
    });
    await listener.close("failed");
    await expectClosed(listener.redirectUri);
  });

  it("ends with the reason of the signal", async () => {
    const gone = new AbortController();
    const listener = await listen({}, { signal: gone.signal });
    const received = listener.receive(state);
    gone.abort(new Error("given up"));
    await expect(received).rejects.toThrow("given up");
    await listener.close();
    await expectClosed(listener.redirectUri);
  });

  it("does not begin for a signal that has aborted", async () => {
    await expect(listen({}, { signal: AbortSignal.abort(new Error("gone")) })).rejects.toThrow("gone");
  });

  it("ends when it is closed, and a second time nothing happens", async () => {
    const listener = await listen();
    const received = listener.receive(state);
    const closed = Promise.all([listener.close(), listener.close("failed")]);
    await expect(received).rejects.toMatchObject({ code: "aborted", serverId: "wiki" });
    await closed;
    await expectClosed(listener.redirectUri);
  });

  it("is over when it is closed: nothing is held any more, by whoever was open", async () => {
    const held = (): number => process.getActiveResourcesInfo().filter((one) => one === "TCPServerWrap").length;
    const before = held();
    const listener = await listen({ redirectUri: "http://localhost/callback" });
    const received = listener.receive(state);
    const sockets = [await openSocket(listener.redirectUri), await openSocket(listener.redirectUri, "GET /callback")];
    const reply = visit(`${listener.redirectUri}?code=a&state=${state}`);
    await received;
    expect(held()).toBeGreaterThan(before);
    await listener.close("signed-in");
    expect(held()).toBe(before);
    await reply;
    for (const socket of sockets) socket.destroy();
  });
});

describe("the redirect URI", () => {
  it("has the port that the client is registered with, if that is free", async () => {
    const port = await freePort();
    const preferredUri = `http://127.0.0.1:${port}/callback`;
    expect((await listen({}, { preferredUri })).redirectUri).toBe(preferredUri);
  });

  it.each([
    ["in use", (port: number) => `http://127.0.0.1:${port}/callback`],
    ["of another path", () => "http://127.0.0.1:1/other"],
    ["of another host", () => "http://localhost:1/callback"],
    ["elsewhere", () => "https://product.example/callback"],
    ["no URL", () => "::"],
  ])("has any other port when that one is %s", async (_, uriFor) => {
    const preferredUri = uriFor(await takePort());
    const { redirectUri } = await listen({}, { preferredUri });
    expect(redirectUri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    expect(redirectUri).not.toBe(preferredUri);
  });

  it("is what the product says, byte for byte", async () => {
    const port = await freePort();
    expect((await listen({ redirectUri: `http://127.0.0.1:${port}/signed/in` })).redirectUri).toBe(
      `http://127.0.0.1:${port}/signed/in`,
    );
    const redirectUri = `http://LOCALHOST:${await freePort()}/`;
    expect((await listen({ redirectUri })).redirectUri).toBe(redirectUri);
  });

  it.each(["localhost", "[::1]", "127.0.0.1"] as const)(
    "can call this machine %s, and listens on it alone",
    async (host) => {
      const listener = await listen({ redirectUri: `http://${host}/callback` });
      const received = listener.receive(state);
      const { port } = new URL(listener.redirectUri);
      expect(listener.redirectUri).toBe(`http://${host}:${port}/callback`);
      // Of `localhost`, whichever address a browser takes.
      const addresses = { localhost: ["127.0.0.1", "[::1]"], "[::1]": ["[::1]"], "127.0.0.1": ["127.0.0.1"] }[host];
      for (const address of addresses) {
        const url = `http://${address}:${port}/callback?state=wrong`;
        expect((await visit(url, { headers: { host: `${host}:${port}` } })).status).toBe(400);
      }
      void received.catch(() => {});
    },
  );

  it("of a port that is in use makes an error that names the port, and is shared by two who wait there", async () => {
    const port = await takePort();
    await expect(listen({ redirectUri: `http://127.0.0.1:${port}/callback` })).rejects.toMatchObject({
      code: "auth_required",
      serverId: "wiki",
      message: expect.stringContaining(
        `port ${port} of this machine, which the redirect URI has, is used by another program`,
      ),
    });
    const receiver = loopbackRedirect({ redirectUri: `http://127.0.0.1:${await freePort()}/callback` });
    const { signal } = new AbortController();
    const [one, two] = await Promise.all([
      receiver.listen({ serverId: "one", title: "One", signal }),
      receiver.listen({ serverId: "two", title: "Two", signal }),
    ]);
    const received = [one.receive("first"), two.receive("second")];
    const reply = visit(`${two.redirectUri}?code=2&state=second`);
    expect((await received[1])?.searchParams.get("code")).toBe("2");
    await two.close("signed-in");
    expect((await reply).text).toContain("Signed in to Two");
    void visit(`${one.redirectUri}?code=1&state=first`).catch(() => {});
    expect((await received[0])?.searchParams.get("code")).toBe("1");
    await one.close("failed");
    const again = await receiver.listen({ serverId: "one", title: "One", signal });
    expect((await visit(again.redirectUri)).status).toBe(400);
    await again.close();
    await expectClosed(one.redirectUri);
  });
});

describe("options", () => {
  it.each<[string, unknown]>([
    ['no option "ports"', { ports: 1 }],
    ["timeoutMs must be", { timeoutMs: 0 }],
    ["redirectUri must be an http: URL", { redirectUri: "https://127.0.0.1/callback" }],
    ["redirectUri must be an http: URL", { redirectUri: "http://product.example/callback" }],
    ["redirectUri must be an http: URL", { redirectUri: "http://user@localhost/callback" }],
    ["redirectUri must be an http: URL", { redirectUri: "http://localhost/callback?a=b" }],
    ["redirectUri must be an http: URL", { redirectUri: "nothing" }],
    ["redirectUri must be an http: URL", { redirectUri: "http://0.0.0.0/callback" }],
    ["redirectUri must be an http: URL", { redirectUri: "http://localhost:0/callback" }],
  ])("that cannot be used are refused: %s", (message, options) => {
    expect(() => loopbackRedirect(options as LoopbackRedirectOptions)).toThrow(message);
  });
});
