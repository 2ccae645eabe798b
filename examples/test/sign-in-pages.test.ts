import { consentTo, startAuthorizedServer } from "@hostside/fixtures";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createHost } from "hostside";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { redisBinary, startRedis } from "../../test/database-servers.ts";
import { openState } from "../src/replicas/open-state.ts";
import { createSignInPages } from "../src/replicas/sign-in-pages.ts";

const tool = "mcp_notes_whoami";
const keys = [{ id: "first", key: randomBytes(32) }];

interface Answer {
  readonly status: number;
  readonly location: string | null;
  readonly body: { readonly tools?: readonly string[]; readonly signIns?: readonly unknown[]; readonly code?: string };
}

/** One replica, and what a proxy in front of it sends: the path, and who the session says it is. */
async function startReplica(redisUrl: string, serverUrl: string) {
  const state = await openState(redisUrl);
  const host = await createHost({
    servers: { notes: { url: serverUrl } },
    pool: {},
    state: { ...state.shared, keys },
    authenticateTools: true,
    auth: { redirect: "https://product.example/callback", clients: { notes: { clientId: "desk" } } },
  });
  const pages = createSignInPages(host, (request) => String(request.headers["x-user"]));
  pages.listen(0, "127.0.0.1");
  await once(pages, "listening");
  onTestFinished(async () => {
    pages.close();
    pages.closeAllConnections();
    await host.close();
    await state.close();
  });
  const { port } = pages.address() as AddressInfo;
  const get = async (user: string, path: string): Promise<Answer> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      headers: { "x-user": user },
      redirect: "manual",
    });
    const body = (await response.json()) as Answer["body"] | null;
    return { status: response.status, location: response.headers.get("location"), body: body ?? {} };
  };
  return { host, get };
}

describe.skipIf(redisBinary === undefined)(
  `the pages of two replicas over Redis${redisBinary === undefined ? " (there is no Redis on this machine)" : ""}`,
  () => {
    it("sign each of two users in, and nobody for another", async () => {
      await using server = await startAuthorizedServer();
      const redis = await startRedis();
      onTestFinished(() => redis.close());
      const [one, two] = [await startReplica(redis.url, server.url), await startReplica(redis.url, server.url)];
      // Ada looks at the other replica before she signs in: it knows that she has to.
      const before = await two.get("ada", "/tools");
      expect(before.body).toMatchObject({
        tools: expect.arrayContaining(["mcp_notes_authenticate"]),
        signIns: [{ id: "notes" }],
      });
      await two.get("bob", "/tools");

      const { location } = await one.get("ada", "/sign-in/notes");
      const { pathname, search } = await consentTo(location ?? "", { user: "grace" });
      expect(await one.get("bob", `${pathname}${search}`)).toMatchObject({
        status: 403,
        body: { code: "auth_required" },
      });
      expect(
        await one.get("ada", `${pathname}${search.replace(/state=[^&]+/, `state=${"A".repeat(43)}`)}`),
      ).toMatchObject({ status: 403 });
      expect(await two.host.oauth?.list()).toEqual([]);
      expect(await one.get("ada", `${pathname}${search}`)).toMatchObject({ status: 303, location: "/tools" });

      for (const { host, get } of [one, two]) {
        await vi.waitFor(async () => expect((await get("ada", "/tools")).body.tools).toContain(tool), 60_000);
        expect((await get("ada", "/tools")).body).toMatchObject({ signIns: [] });
        expect((await get("bob", "/tools")).body).toMatchObject({ signIns: [{ id: "notes" }] });
        expect(await host.oauth?.list()).toMatchObject([{ serverId: "notes", principal: "ada" }]);
      }
    });
  },
);
