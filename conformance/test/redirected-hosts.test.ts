import { expect, it } from "vitest";
import { checkHost } from "../src/host/check-host.ts";
import { hostChecks } from "../src/host/host-checks.ts";
import { startBroken, withFetch } from "./hosts/broken-host.ts";

// The origin of a request that was redirected to another origin is opaque.
const asBrowser = withFetch(async (url, init) => {
  const response = await fetch(url, { ...init, redirect: "manual" });
  const location = response.headers.get("location");
  if (location === null) return response;
  const headers = new Headers(init?.headers);
  headers.set("origin", "null");
  return fetch(location, { ...init, headers });
});

it("a host on a browser's engine that follows redirects with credentials is found", { timeout: 60_000 }, async () => {
  const id = "hostile/redirect/http";
  const checks = hostChecks.filter((check) => check.id === id).map((check) => ({ ...check, needs: [] }));
  const host = { id: "browser", wrong: "follows redirects", venue: "http", fails: [], make: asBrowser } as const;
  const { results } = await checkHost({ start: () => startBroken(host), name: host.id, checks, patienceMs: 4000 });
  expect(results[0]?.finding).toMatchObject({
    status: "fail",
    observed: expect.stringMatching(/^[1-9]\d* requests to another origin had the credentials$/),
  });
});
