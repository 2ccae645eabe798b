import { fileURLToPath } from "node:url";
import { isHostsideError } from "@hostside/core";
import { withFetch, withVerbs, type BrokenHost, type BrokenHostInProcess } from "./broken-host.ts";

/** HTTP that sends a request again at once while the answer has one of these statuses. */
const sendingAgain = (times: number, ...statuses: readonly number[]): BrokenHostInProcess["make"] =>
  withFetch(async (url, init) => {
    let response = await fetch(url, init);
    for (let n = 0; n < times && statuses.includes(response.status); n += 1) response = await fetch(url, init);
    return response;
  });

/** HTTP that changes what is sent. */
const sending = (change: (url: URL, headers: Headers, init: RequestInit) => RequestInit): BrokenHostInProcess["make"] =>
  withFetch((url, init) => fetch(url, change(new URL(url), new Headers(init.headers), init)));

/** Hosts that are wrong about what stands between them and a server. */
export const brokenBetween: readonly BrokenHost[] = [
  {
    id: "ignores-retry-after",
    wrong: "asks again at once where it was told to wait",
    venue: "http",
    make: sendingAgain(3, 429, 503),
    fails: ["recover/gateway-errors", "recover/retry-after"],
  },
  {
    id: "insists",
    wrong: "sends a call that was refused for its credentials again and again",
    venue: "http",
    make: sendingAgain(8, 401, 403),
    // It sends a proof again, too.
    fails: ["recover/dpop-nonce", "recover/refused-credentials"],
  },
  {
    id: "repeats-at-gateways",
    wrong: "sends a call again when a gateway fails",
    venue: "http",
    make: sendingAgain(1, 502, 504),
    fails: ["recover/gateway-errors"],
  },
  {
    id: "token-on-challenge",
    wrong: "sends its token to the address that a challenge names",
    venue: "http",
    make: withFetch(async (url, init) => {
      const response = await fetch(url, init);
      const named = /resource_metadata="([^"]+)"/.exec(response.headers.get("www-authenticate") ?? "")?.[1];
      if (named !== undefined) await fetch(named, init?.headers ? { headers: init.headers } : {});
      return response;
    }),
    fails: ["hostile/challenge-elsewhere"],
  },
  {
    id: "names-no-resource",
    wrong: "asks for a token that is for no server in particular",
    venue: "http",
    make: sending((_url, _headers, init) => {
      const form = new URLSearchParams(typeof init.body === "string" ? init.body : "");
      if (!form.has("resource") || !form.has("grant_type")) return init;
      form.delete("resource");
      return { ...init, body: form.toString() };
    }),
    fails: ["recover/dpop-nonce", "recover/dpop-proof", "recover/signs-in"],
  },
  {
    id: "shows-its-secret",
    wrong: "sends the secret of its client to servers, not only to the authorization server",
    venue: "http",
    make: withVerbs(({ init }) => ({
      init: ({ servers }) =>
        init({
          servers: servers.map((server) => {
            const { transport } = server;
            if (transport.type !== "http" || transport.client === undefined) return server;
            return { ...server, transport: { ...transport, headers: { "x-client": transport.client.secret } } };
          }),
        }),
    })),
    fails: ["recover/signs-in"],
  },
  {
    id: "one-proof-for-all",
    wrong: "proves that it has its key once for each method and URL, and sends that again",
    venue: "http",
    make: () => {
      const proofs = new Map<string, string>();
      return sending(({ href }, headers, init) => {
        const proof = headers.get("dpop");
        if (proof === null) return init;
        const key = `${init.method ?? "GET"} ${href}`;
        headers.set("dpop", proofs.get(key) ?? proof);
        proofs.set(key, proofs.get(key) ?? proof);
        return { ...init, headers };
      })();
    },
    fails: ["recover/dpop-nonce", "recover/dpop-proof"],
  },
  {
    id: "hears-no-nonce",
    wrong: "does not look at the nonces that come with answers",
    venue: "http",
    make: withFetch(async (url, init) => {
      const { body, headers, status } = await fetch(url, init);
      const others = new Headers(headers);
      others.delete("dpop-nonce");
      return new Response(body, { headers: others, status });
    }),
    fails: ["recover/dpop-nonce"],
  },
  {
    id: "unpacks-everything",
    wrong: "unpacks an answer before it looks at its size",
    venue: "http",
    command: [process.execPath, fileURLToPath(new URL("../programs/unpacking-driver.mjs", import.meta.url))],
    fails: ["survive/decompression-bomb"],
  },
  {
    id: "never-gives-up",
    wrong: "connects anew and makes a call again, twelve times, as long as it did not run",
    venue: "http",
    make: withVerbs(({ call, refresh }) => ({
      call: async (params) => {
        for (let n = 1; ; n += 1) {
          try {
            return await call({ ...params, callId: `${params.callId} ${n}` });
          } catch (error) {
            if (n >= 12 || !isHostsideError(error) || error.outcome === "unknown") throw error;
            for (let often = 0; often < 4; often += 1) await Promise.resolve(refresh({})).catch(() => undefined);
          }
        }
      },
    })),
    fails: [
      "consistent/cancel-reaches-the-server",
      "recover/bad-request-about-sessions",
      "recover/error-about-sessions",
      "recover/refused-credentials",
      "recover/session-always-expired",
      "recover/two-replicas",
    ],
  },
];
