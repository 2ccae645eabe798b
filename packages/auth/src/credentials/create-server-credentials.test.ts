import { describe, expect, it } from "vitest";
import { given, live, needsScope, program, request, stage } from "../../test/credentials-stage.ts";
import { holdAnswers } from "../../test/rotating-server.ts";
import { createAuthorization, serverUrl } from "../../test/token-world.ts";
import { makeDpopKey } from "../dpop/dpop.ts";
import { clearAccount, readAccount, saveAuthorization } from "../accounts/account-documents.ts";

describe("headersFor()", () => {
  it("has nothing for who never signed in, and nothing for another origin", async () => {
    expect(await (await stage(undefined)).credentials.headersFor(request)).toEqual({});
    const { credentials } = await stage(live);
    expect(await credentials.headersFor({ method: "GET", url: new URL("https://evil.example/mcp") })).toEqual({});
    expect(await credentials.headersFor(request)).toEqual({ authorization: "Bearer access-0" });
  });

  it("sees within 10 s that another process signed in, or out", async () => {
    const { token, parts, clock, another } = await stage(undefined);
    expect(await token()).toBeUndefined();
    await saveAuthorization(parts, another(), createAuthorization());
    clock.advance(10_000);
    expect(await token()).toBe("access-0");
    await clearAccount(parts, another());
    clock.advance(10_000);
    expect(await token()).toBeUndefined();
  });

  it("renews in the background while the token is good, and sends the old one meanwhile", async () => {
    const { token, clock, server } = await stage(live);
    const { sent, answered } = holdAnswers(server);
    clock.advance(541_000);
    expect(await token()).toBe("access-0");
    await sent.promise;
    expect(await token()).toBe("access-0");
    answered.resolve();
    await expect.poll(token).toBe("access-1");
    expect(server.redeemed).toEqual(["refresh-0"]);
  });

  it("waits for the renewal that is under way when the token may be over before its request is answered", async () => {
    const { token, clock, server } = await stage(live);
    const { sent, answered } = holdAnswers(server);
    clock.advance(584_000);
    expect(await token()).toBe("access-0");
    await sent.promise;
    clock.advance(2000);
    const waiting = token();
    answered.resolve();
    expect(await waiting).toBe("access-1");
  });

  it("waits for the renewal once the token is over, and says why there is none when the authorization server is down", async () => {
    const { token, clock, server } = await stage(live);
    clock.advance(600_000);
    server.play = () => Promise.resolve(new Response("", { status: 503 }));
    await expect(token()).rejects.toMatchObject({ code: "http_error", outcome: "not-sent", retryable: true });
    clock.advance(60_000);
    server.play = (answer) => Promise.resolve(answer());
    expect(await token()).toBe("access-1");
  });

  it("sends the old token as long as it lives, whatever the renewal fails with", async () => {
    const { token, clock, server } = await stage(live);
    server.play = () => Promise.reject(new TypeError("fetch failed"));
    clock.advance(599_000);
    expect(await token()).toBe("access-0");
    clock.advance(1000);
    await expect(token()).rejects.toMatchObject({ code: "unreachable" });
  });

  it("goes on with what it knows while the store is away", async () => {
    const { token, parts, clock } = await stage(live);
    expect(await token()).toBe("access-0");
    Object.assign(parts.store, { load: () => Promise.reject(new Error("gone")) });
    clock.advance(100_000);
    expect(await token()).toBe("access-0");
  });

  it("rejects with closed after close()", async () => {
    const { token, refuse, close } = await stage(live);
    close.abort();
    await expect(token()).rejects.toMatchObject({ code: "closed" });
    await expect(refuse("access-0")).rejects.toMatchObject({ code: "closed" });
  });
});

describe("onRefused()", () => {
  it("renews once, for all who are refused together", async () => {
    const { refuse, token, server } = await stage(live);
    await Promise.all([refuse("access-0"), refuse("access-0"), refuse("access-0")]);
    expect([await token(), server.redeemed]).toEqual(["access-1", ["refresh-0"]]);
  });

  it("takes what another process has got since", async () => {
    const { refuse, token, parts, another, server } = await stage(live);
    expect(await token()).toBe("access-0");
    await saveAuthorization(parts, another(), createAuthorization({ accessToken: "access-7" }));
    await refuse("access-0");
    expect([await token(), server.redeemed]).toEqual(["access-7", []]);
  });

  it("asks nobody by surprise: says what to do when nobody is signed in", async () => {
    const { refuse, signIns } = await stage(undefined);
    await expect(refuse(undefined)).rejects.toMatchObject({
      code: "auth_required",
      serverId: "notes",
      message: expect.stringContaining('authorize("notes")'),
    });
    expect(signIns).toEqual([]);
  });

  it("signs in when a user waits", async () => {
    const { refuse, token, signIns } = await stage(undefined);
    await refuse(undefined, { interactive: true });
    expect([await token(), signIns]).toEqual(["access-1", [{ needsMore: false }]]);
  });

  it("says why the sign-in has ended, keeps no dead refresh token, and asks nobody about it twice", async () => {
    const { refuse, parts, account, server } = await stage({ refreshToken: "refresh-dead" });
    for (const _ of [1, 2]) {
      await expect(refuse("access-0")).rejects.toMatchObject({
        code: "auth_required",
        message: expect.stringMatching(/invalid_grant.*authorize\("notes"\)/),
      });
    }
    expect(await readAccount(parts, account)).not.toHaveProperty("refreshToken");
    expect(server.redeemed).toEqual(["refresh-dead"]);
  });

  it("takes trouble of the authorization server for nothing else (no needs-auth)", async () => {
    const { refuse, server, signIns } = await stage(live);
    server.play = () => Promise.resolve(new Response("<html>busy</html>", { status: 502 }));
    await expect(refuse("access-0", { interactive: true })).rejects.toMatchObject({
      code: "http_error",
      retryable: true,
    });
    expect(signIns).toEqual([]);
  });

  it("ends the wait of who gives up, and nothing else", async () => {
    const { refuse, server, parts, another } = await stage(live);
    const { sent, answered } = holdAnswers(server);
    const giveUp = new AbortController();
    const waiting = refuse("access-0", { signal: giveUp.signal });
    await sent.promise;
    giveUp.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    answered.resolve();
    await expect.poll(async () => (await readAccount(parts, another()))?.accessToken).toBe("access-1");
  });

  it("signs in where the server has moved to", async () => {
    const { refuse, signIns, server } = await stage(live, { named: "https://new.example" });
    await expect(refuse("access-0")).rejects.toMatchObject({ message: expect.stringContaining("moved") });
    await refuse("access-0", { interactive: true });
    expect([signIns.length, server.redeemed]).toEqual([1, []]);
  });

  it("asks for more access when a user waits, together with what was granted", async () => {
    const { refuse, signIns, account } = await stage(live);
    await refuse("access-0", { ...needsScope, interactive: true });
    expect([signIns, account.hints.scope?.split(" ").toSorted()]).toEqual([[{ needsMore: true }], ["read", "write"]]);
  });

  it("remembers for the next sign-in what was not enough when nobody waits", async () => {
    const { refuse, account, signIns } = await stage(live);
    await expect(refuse("access-0", needsScope)).rejects.toMatchObject({ code: "auth_required" });
    expect([signIns, account.hints.scope?.split(" ").toSorted()]).toEqual([[], ["read", "write"]]);
  });

  it.each([
    ["says nothing about scopes", { status: 403, challenge: undefined }, "read"],
    ["wants a scope that was granted", needsScope, "read write"],
  ] as const)("is forbidden, and asks nobody, when a 403 %s", async (_, refusal, scope) => {
    const { refuse, signIns } = await stage({ scope });
    await expect(refuse("access-0", { ...refusal, interactive: true })).rejects.toMatchObject({ code: "forbidden" });
    expect(signIns).toEqual([]);
  });

  it.each([
    ["with credentials", "access-0", /HTTP 403 from https:\/\/\S+: the access that was granted/],
    ["without any", undefined, /HTTP 403 from https:\/\/\S+: it refuses the request, and asks for no sign-in/],
  ] as const)("names the refusal and its address when a request %s is forbidden", async (_, sent, message) => {
    const { refuse } = await stage(live);
    const refusal = { status: 403, challenge: undefined, ...(sent === undefined && { sent: {} }) } as const;
    await expect(refuse(sent, refusal)).rejects.toMatchObject({
      code: "forbidden",
      message: expect.stringMatching(message),
    });
  });
});

describe("tokens that are bound to a key", () => {
  const nonceWanted = { challenge: 'DPoP error="use_dpop_nonce"' };
  const claimsOf = (proof: string | undefined): unknown => JSON.parse(atob(proof?.split(".")[1] ?? ""));

  it("are sent with a proof, and once more with the nonce that the server wants", async () => {
    const { credentials, refuse, server } = await stage({ tokenType: "DPoP", dpopKey: await makeDpopKey() });
    const sent = await credentials.headersFor(request);
    expect(sent["authorization"]).toBe("DPoP access-0");
    expect(claimsOf(sent["dpop"])).toMatchObject({ htm: "POST", htu: serverUrl });
    credentials.onAnswered?.(request, (name) => (name === "dpop-nonce" ? "n-1" : undefined));
    await refuse(undefined, { ...nonceWanted, sent });
    const again = await credentials.headersFor(request);
    expect(claimsOf(again["dpop"])).toMatchObject({ nonce: "n-1" });
    expect(server.redeemed).toEqual([]);
    // With the nonce it is the token that is refused.
    await refuse(undefined, { ...nonceWanted, sent: again });
    expect(server.redeemed).toEqual(["refresh-0"]);
  });
});

describe("a program", () => {
  it("has a token before its first request, another one before that is over, and asks once for all", async () => {
    const { token, clock, server } = await stage(undefined, { config: program });
    let count = 0;
    server.play = () => Promise.resolve(given((count += 1)));
    expect(await Promise.all([token(), token(), token()])).toEqual(["robot-1", "robot-1", "robot-1"]);
    clock.advance(600_000);
    expect(await token()).toBe("robot-2");
    expect(count).toBe(2);
  });

  it("gets another one when that is refused, and asks no user when it gets none", async () => {
    const { token, refuse, server, signIns } = await stage(undefined, { config: program });
    let count = 0;
    server.play = () => Promise.resolve(given((count += 1)));
    await token();
    await refuse("robot-1");
    expect(await token()).toBe("robot-2");
    server.play = () => Promise.resolve(Response.json({ error: "invalid_client" }, { status: 401 }));
    await expect(refuse("robot-2", { interactive: true })).rejects.toMatchObject({ code: "auth_required" });
    expect(signIns).toEqual([]);
  });

  it("shows its secret to no other authorization server than the one that it was first used with", async () => {
    const { refuse, server } = await stage(
      { client: { clientId: "robot", way: "pre-registered" }, refreshToken: undefined },
      { config: program, named: "https://evil.example" },
    );
    let asked = 0;
    server.play = () => {
      asked += 1;
      return Promise.resolve(given(asked));
    };
    await expect(refuse("access-0")).rejects.toMatchObject({ kind: "auth" });
    expect(asked).toBe(0);
  });
});
