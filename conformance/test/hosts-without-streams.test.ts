import { expect, it } from "vitest";
import { checkHost } from "../src/host/check-host.ts";
import { hostChecks } from "../src/host/host-checks.ts";
import { startBroken, withFetch } from "./hosts/broken-host.ts";

// Clients may open a stream for what a server sends by itself; they need not.
const withoutStream = withFetch((input, init) =>
  init?.method === "GET" ? Promise.resolve(new Response(null, { status: 405 })) : fetch(input, init),
);

it(
  "a host that opens no stream over HTTP is told of it once, and no flood on it is held against it",
  { timeout: 60_000 },
  async () => {
    const ids = ["consistent/list-changed/http", "hostile/notification-flood/http"];
    const checks = hostChecks.filter(({ id }) => ids.includes(id)).map((check) => ({ ...check, needs: [] }));
    const host = {
      id: "without-streams",
      wrong: "opens no streams",
      venue: "http",
      fails: [],
      make: withoutStream,
    } as const;
    const { results } = await checkHost({ start: () => startBroken(host), name: host.id, checks, patienceMs: 4000 });
    expect(results.map(({ check: { id }, finding }) => [id, finding])).toEqual([
      [ids[0], expect.objectContaining({ status: "fail", observed: expect.stringContaining("no stream was opened") })],
      [ids[1], { status: "not-applicable", reason: "the host opened no stream on which notifications could come" }],
    ]);
  },
);
