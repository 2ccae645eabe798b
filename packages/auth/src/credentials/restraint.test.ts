import { describe, expect, it } from "vitest";
import { firstDate } from "../../../provider/test/simulation/virtual-clock.ts";
import { given, live, metadataOf, needsScope, program, stage } from "../../test/credentials-stage.ts";
import { issuer } from "../../test/token-world.ts";
import type { CredentialStore } from "../store/credential-store.ts";

// However many requests there are, and whatever servers do: how often the store and the
// authorization server are asked.

describe("headersFor()", () => {
  it("asks a store that is away once in 10 s, and reads once for all who ask together", async () => {
    const { token, parts, clock } = await stage(live);
    await token();
    const store = watchReads(parts.store);
    clock.advance(10_000);
    await Promise.all([token(), token(), token()]);
    expect(store.reads).toBe(1);
    store.isAway = true;
    clock.advance(10_000);
    for (const _ of [1, 2, 3]) expect(await token()).toBe("access-0");
    expect(store.reads).toBe(2);
  });

  it("neither reads nor renews for each request while somebody else may be renewing", async () => {
    const { token, parts, clock, server } = await stage({ redeeming: { by: "dead", since: firstDate } });
    await token();
    const store = watchReads(parts.store);
    clock.advance(595_000);
    for (const _ of [1, 2, 3]) expect(await token()).toBe("access-0");
    expect([store.reads, server.redeemed]).toEqual([1, []]);
  });
});

/** Counts what is read, and can have a store be away. */
function watchReads(store: CredentialStore): { reads: number; isAway: boolean } {
  const own = { ...store };
  const watched = { reads: 0, isAway: false };
  const load: CredentialStore["load"] = async (key) => {
    watched.reads += 1;
    if (watched.isAway) throw new Error("gone");
    return own.load(key);
  };
  Object.assign(store, { load });
  return watched;
}

describe("onRefused()", () => {
  it("does not go on renewing for a server that refuses whatever it gets", async () => {
    const { refuse, server, clock } = await stage(live);
    const refuseNext = async (count: number): Promise<void> => {
      clock.advance(1000);
      await refuse(`access-${count}`);
    };
    for (const count of [0, 1, 2]) await refuseNext(count);
    await expect(refuseNext(3)).rejects.toMatchObject({
      code: "auth_required",
      message: expect.stringContaining("whatever"),
    });
    expect(server.redeemed).toEqual(["refresh-0", "refresh-1", "refresh-2"]);
    clock.advance(60_000);
    await refuseNext(3);
    expect(server.redeemed.at(-1)).toBe("refresh-3");
  });

  it("counts one renewal for a hundred requests that were refused together, and finds out once where to sign in", async () => {
    const { refuse, token, server, clock, metadata } = await stage(live);
    clock.advance(1000);
    await Promise.all(Array.from({ length: 100 }, () => refuse("access-0")));
    expect(metadata.asked).toEqual(["https://mcp.example", issuer]);
    await refuse("access-1");
    expect([await token(), server.redeemed]).toEqual(["access-2", ["refresh-0", "refresh-1"]]);
  });

  it("asks an authorization server that is down for an hour about once a minute, however many are refused", async () => {
    const { refuse, server, clock, metadata, signIns } = await stage({ expiresAt: undefined });
    let asked = 0;
    server.play = () => Promise.resolve(new Response("", { status: ((asked += 1), 503) }));
    metadata.answer = (path, named) =>
      path.includes("oauth-authorization-server") ? new Response("", { status: 503 }) : metadataOf(path, named);
    for (let second = 0; second < 3600; second += 15) {
      const all = await Promise.allSettled([1, 2, 3, 4, 5].map(() => refuse("access-0", { interactive: true })));
      expect(all).toSatisfy((ends: typeof all) =>
        ends.every((end) => end.status === "rejected" && end.reason.code === "http_error"),
      );
      clock.advance(15_000);
    }
    expect(asked).toBeLessThan(70);
    expect(metadata.asked.length).toBeLessThan(140);
    expect(signIns).toEqual([]);
  });
});

describe("a program", () => {
  it("asks servers that are down for an hour about once a minute, however many ask for a token", async () => {
    const { token, metadata, clock } = await stage(undefined, { config: program });
    metadata.answer = () => new Response("", { status: 503 });
    for (let second = 0; second < 3600; second += 15) {
      const all = await Promise.allSettled([token(), token(), token()]);
      expect(all).toSatisfy((ends: typeof all) => ends.every(({ status }) => status === "rejected"));
      clock.advance(15_000);
    }
    expect(metadata.asked.length).toBeLessThan(140);
  });

  it("does not get token after token for a server that wants more access whatever is granted", async () => {
    const { token, refuse, server, clock } = await stage(undefined, { config: program });
    let count = 0;
    server.play = async () => given((count += 1), "read");
    await token();
    for (const number of [1, 2, 3]) {
      clock.advance(1000);
      await refuse(`robot-${number}`, needsScope);
    }
    await expect(refuse("robot-4", needsScope)).rejects.toMatchObject({ code: "forbidden" });
    expect(count).toBe(4);
  });
});
