import { expect, it } from "vitest";
import type { Finding } from "../src/engine/check.ts";
import { checkHost } from "../src/host/check-host.ts";
import { hostChecks } from "../src/host/host-checks.ts";
import { startBroken, withFetch, withVerbs } from "./hosts/broken-host.ts";
import { brokenHosts } from "./hosts/broken-hosts.ts";

type Change = (headers: Headers, init: RequestInit) => RequestInit;

async function play(id: string, make: Parameters<typeof startBroken>[0]): Promise<Finding | undefined> {
  const checks = hostChecks.filter((check) => check.id === id).map((check) => ({ ...check, needs: [] }));
  const { results } = await checkHost({ start: () => startBroken(make), name: "broken", checks, patienceMs: 1500 });
  return results[0]?.finding;
}

function sending(change: Change): Parameters<typeof startBroken>[0] {
  const make = withFetch((url, init) => {
    const headers = new Headers(init.headers);
    return fetch(url, { ...change(headers, init), headers });
  });
  return { id: "sends-otherwise", wrong: "", venue: "http", fails: [], make };
}

function known(id: string): Parameters<typeof startBroken>[0] {
  const found = brokenHosts.find((host) => host.id === id);
  if (found === undefined) throw new TypeError(`no broken host ${id}`);
  return found;
}

it.each([
  ["signs-in", known("names-no-resource"), /^the token endpoint refused .*\(400 invalid_target\): no `resource`/],
  [
    "dpop-proof",
    known("one-proof-for-all"),
    /; the server refused .*\(401 invalid_dpop_proof\): .* `jti` was used before/,
  ],
  [
    "dpop-nonce",
    known("hears-no-nonce"),
    /^the token endpoint refused .*\(400 use_dpop_nonce\): the proof has no `nonce`/,
  ],
  [
    "dpop-proof",
    sending((headers, init) => {
      const authorization = headers.get("authorization");
      if (authorization?.startsWith("DPoP ")) headers.set("authorization", authorization.replace("DPoP", "Bearer"));
      return init;
    }),
    /^the server refused .*\(401 invalid_token\): the token came as "Bearer", not as "DPoP"/,
  ],
  [
    "dpop-proof",
    sending((headers, init) => (headers.delete("dpop"), init)),
    /^the token endpoint refused .*\(400 invalid_dpop_proof\): there is no proof: the header `DPoP` is missing/,
  ],
  [
    "signs-in",
    sending((headers, init) => (headers.delete("authorization"), init)),
    /^the token endpoint refused .*\(401 invalid_client\): the id and the secret of the client are missing or others/,
  ],
])("a finding of recover/%s says what was refused and why (%#)", { timeout: 30_000 }, async (name, host, observed) => {
  const finding = await play(`recover/${name}/http`, host);
  expect(finding).toMatchObject({ status: "fail", observed: expect.stringMatching(observed) });
  const texts = finding?.status === "fail" ? (finding.trace ?? []).map(({ text }) => text) : [];
  expect(texts).toContainEqual(expect.stringMatching(/^POST \/token grant_type=/));
  expect(texts).toContainEqual(
    expect.stringMatching(/^POST \/(token|mcp) 40[01] \{"error":"\w+","error_description":/),
  );
});

it("says of a host that never asks for a token that it did not", { timeout: 30_000 }, async () => {
  const make = withVerbs(() => ({
    async init({ servers }) {
      for (const { transport } of servers)
        if (transport.type === "http") await fetch(transport.url, { method: "POST", body: "{}" });
      return {};
    },
    snapshot: () => ({ tools: [], servers: [] }),
  }));
  const host = { id: "asks-for-no-token", wrong: "", venue: "http", fails: [], make } as const;
  expect(await play("recover/signs-in/http", host)).toMatchObject({
    status: "fail",
    observed: expect.stringMatching(
      /^the server refused a request .* has no token; nobody asked the token endpoint for a token; /,
    ),
  });
});
