import { request } from "node:http";
import { gzipSync } from "node:zlib";
import { listenOnLoopback, type FaultAction, type FaultAuthorization } from "@hostside/fixtures";
import { scenariosOf, type HostScenario } from "../host-scenario.ts";
import { overHttp } from "../host-venue.ts";
import type { Stage, Stand } from "../stage.ts";
import { Violation, must } from "../violation.ts";
import { callInVain, callUntilItWorks, callWell, mustHaveRun, onCallWith, succeeded } from "./judge-calls.ts";
import { legacySpec } from "../../server/checks/define-check.ts";
import type { DriverClient } from "../driver-protocol.ts";
import { refusalsIn } from "../wire-view.ts";

const secret = "s3cr3t-of-the-user-9876543210";
const shortMs = 900;
const mebibyte = 1024 * 1024;
const bombMebibytes = 1024;
/** Long enough to unpack all of it: a host that does so must be seen to grow. */
const unpackingMs = 12_000;
/** What a host may take for an answer that it refuses; a good one stops at some ten megabytes. */
const mostGrowthMebibytes = 320;
/**
 * For one call that finds its session gone: the call, a handshake of two, a listing, and the call
 * again.
 */
const mostRequests = 6;

/**
 * What stands between a host and a server: authorization, limits, proxies, gateways and load
 * balancers.
 */
export const betweenScenarios: readonly HostScenario[] = [
  ...scenariosOf("survive", {
    "decompression-bomb": {
      title: "An answer that unpacks to a gibibyte costs its call, and no memory to speak of",
      level: "MUST",
      legal: [
        `an error by the deadline; the host grows by less than ${mostGrowthMebibytes} MiB; then a call that works`,
      ],
      fix: "Count bytes after decompression, and stop reading at a limit of your own.",
      over: ["http"],
      async run(stage) {
        const headers = { "content-type": "application/json", "content-encoding": "gzip" };
        const body = { base64: packedAnswer().toString("base64") };
        const bomb = onCallWith("bomb", { type: "http", status: 200, headers, body });
        // Hosts that have one time limit for all that they do with a server have this one for the
        // call, too.
        const alpha = await stage.start({ rules: [bomb], connectMs: unpackingMs });
        await callWell(stage, alpha, "before");
        const grown = await growthDuring(stage, () =>
          callInVain(stage, alpha, { text: "bomb", timeoutMs: unpackingMs }),
        );
        must(grown < mostGrowthMebibytes, `the host grew by ${Math.round(grown)} MiB`);
        await callUntilItWorks(stage, alpha);
        return `grew by ${Math.round(grown)} MiB`;
      },
    },
  }),
  ...scenariosOf("recover", {
    "retry-after": {
      title: "A server that says when to come back is not asked before",
      legal: ["an error, or no answer yet at the deadline; each call was sent once"],
      fix: "Take Retry-After as it is, and hand it to the caller where it is longer than the call's time.",
      over: overHttp,
      async run(stage) {
        const statuses = [429, 503] as const;
        const stands = await Promise.all(
          statuses.map((status) => {
            const later: FaultAction = { type: "http", status, headers: { "retry-after": "30" }, body: "later" };
            return stage.serve(`status-${status}`, { rules: [onCallWith("too early", later)] });
          }),
        );
        await stage.init(...stands);
        for (const stand of stands) {
          await callInVain(stage, stand, { text: "too early", timeoutMs: shortMs });
          mustHaveBeenSent(stand, "too early", 1);
        }
        return "each was sent once";
      },
    },
    "refused-credentials": {
      title: "A call that is refused for its credentials or their scope is not sent for ever",
      legal: ["an error by the deadline, after at most three attempts; then a call that works"],
      fix: "Ask for a token, or for the scope, once; then tell the caller.",
      over: overHttp,
      uses: ["headers"],
      async run(stage) {
        const scope = 'Bearer error="insufficient_scope", scope="mcp:admin"';
        const invalidToken = 'Bearer error="invalid_token"';
        const refusals = [
          onCallWith("scope", { type: "http", status: 403, headers: { "www-authenticate": scope } }),
          onCallWith("token", { type: "http", status: 401, headers: { "www-authenticate": invalidToken } }),
        ];
        const headers = { authorization: `Bearer ${secret}` };
        const alpha = await stage.start({ rules: refusals, headers });
        for (const text of ["scope", "token"]) {
          await callInVain(stage, alpha, { text, timeoutMs: shortMs });
          mustHaveBeenSent(alpha, text, 3);
        }
        await callUntilItWorks(stage, alpha);
        return "given up";
      },
    },
  }),
  ...scenariosOf("hostile", {
    "challenge-elsewhere": {
      title: "A token goes to its own server, whatever a challenge names",
      level: "MUST",
      legal: ["the address in the challenge and the other server see no credentials; calls end"],
      fix: "Ask for metadata without credentials, and keep each token with the origin that it is for.",
      over: overHttp,
      uses: ["headers"],
      async run(stage) {
        const canary = await stage.canary();
        const challenge = `Bearer resource_metadata="${canary.url}", error="invalid_token"`;
        const refusal: FaultAction = { type: "http", status: 401, headers: { "www-authenticate": challenge } };
        const headers = { authorization: `Bearer ${secret}` };
        const [alpha, beta] = await stage.startTwo({ rules: [onCallWith("refused", refusal)], headers });
        await callInVain(stage, alpha, { text: "refused", timeoutMs: shortMs });
        await callWell(stage, beta, "beside");
        await stage.quiet();
        must(JSON.stringify(alpha.server.trace()).includes(secret), "the server itself got no credentials");
        const leaked = canary.requests.filter((request) => JSON.stringify(request).includes(secret)).length;
        must(leaked === 0, `${leaked} requests to the address in the challenge had the credentials`);
        must(!JSON.stringify(beta.server.trace()).includes(secret), "the other server got the credentials");
        return `${canary.requests.length} requests to the address in the challenge, none with credentials`;
      },
    },
  }),
  ...scenariosOf("recover", {
    "gateway-errors": {
      title: "A gateway that fails with a page ends the call, which is not run again",
      level: "MUST",
      legal: ["an error for each; each call ran exactly once; then a call that works"],
      fix: "A 502 or 504 says nothing of whether the call ran: report that it may have, and do not repeat it.",
      over: overHttp,
      async run(stage) {
        const headers = { "content-type": "text/html" };
        const pages = [502, 503, 504].map((status) =>
          onCallWith(
            `status ${status}`,
            { type: "execute" },
            { type: "http", status, headers, body: `<html><body><h1>${status}</h1><hr>gateway</body></html>` },
          ),
        );
        const alpha = await stage.start({ script: { rules: pages } });
        for (const status of [502, 503, 504]) {
          const text = `status ${status}`;
          await callInVain(stage, alpha, { text, timeoutMs: shortMs });
          mustHaveRun(alpha, { text, times: [1] });
        }
        await callUntilItWorks(stage, alpha);
        return "an error for each, and each ran once";
      },
    },
    "two-replicas": {
      title: "Replicas that do not know each other's sessions make no call run twice, and no host loop",
      level: "MUST",
      legal: [
        "each call ends by its deadline, and ran at most once on all replicas; a call costs at most six requests",
      ],
      fix: "Begin a new session once for a call that was refused for its session; then tell the caller.",
      over: overHttp,
      async run(stage) {
        const replicas = [await stage.serve("one"), await stage.serve("two")] as const;
        const balancer = await startLoadBalancer(stage, replicas);
        const { stand } = balancer;
        await stage.init(stand);
        // The first replica alone, until its tools are there: from then on every second request
        // reaches one that knows nothing of the session.
        const { name } = await stage.tool(stand);
        await stage.quiet();
        balancer.alternate();
        const before = balancer.handedOn();
        const calls = 5;
        for (let n = 0; n < calls; n += 1) {
          const text = `order ${n}`;
          const reported = await stage.host.call(name, { text }, { timeoutMs: shortMs });
          const ran = replicas
            .flatMap((replica) => replica.runs("append"))
            .filter((args) => args["text"] === text).length;
          must(ran <= 1, `a call ran ${ran} times`);
          must(!succeeded(reported) || ran === 1, "a call that ran nowhere was reported as a result");
        }
        const requests = balancer.handedOn() - before;
        must(requests <= calls * mostRequests, `${calls} calls cost ${requests} requests`);
        return `${requests} requests for ${calls} calls`;
      },
    },
  }),
];

function mustHaveBeenSent(stand: Stand, text: string, most: number): void {
  const sent = stand
    .received("tools/call")
    .filter(({ message }) => JSON.stringify(message).includes(`"${text}"`)).length;
  must(sent > 0, `the call ${JSON.stringify(text)} was never sent`);
  must(sent <= most, `the call ${JSON.stringify(text)} was sent ${sent} times`);
}

/**
 * By how many mebibytes the host grows at most while something happens; 0 where that cannot be
 * seen.
 */
async function growthDuring(stage: Stage, happen: () => Promise<unknown>): Promise<number> {
  const before = stage.host.memory() ?? 0;
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, stage.host.memory() ?? 0)), 20);
  try {
    await happen();
  } finally {
    clearInterval(timer);
  }
  return (Math.max(most, stage.host.memory() ?? 0) - before) / mebibyte;
}

/**
 * Gzip in members, of which one is repeated: what unpacks to much is made of little, at no cost to
 * who sends it.
 */
function packedAnswer(): Buffer {
  const filling = gzipSync(Buffer.alloc(16 * mebibyte, "a"));
  return Buffer.concat([
    gzipSync('{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"'),
    ...Array.from({ length: bombMebibytes / 16 }, () => filling),
    gzipSync('"}]}}'),
  ]);
}

const client: DriverClient = { grant: "client_credentials", id: "robot", secret: "s3cr3t-of-the-program-5647382910" };
const rfc9449 = (section: string): NonNullable<HostScenario["source"]> => ({
  section: `RFC 9449, ${section}`,
  url: `https://www.rfc-editor.org/rfc/rfc9449#section-${section}`,
});

/**
 * Hosts that sign in by themselves, as a program. What a user sees who signs in, the kit does not
 * look at.
 */
export const authorizationScenarios: readonly HostScenario[] = scenariosOf("recover", {
  "signs-in": {
    title:
      "A host with a client of its own signs in where a server wants it, for that server, and shows its secret to nobody else",
    level: "MUST",
    source: legacySpec("basic/authorization", "Resource Parameter Implementation"),
    legal: ["calls that work; the token request names the server as its resource; no other request has the secret"],
    fix: "Follow the challenge to the resource's metadata and to its authorization server, and name the server's URL as the resource.",
    over: overHttp,
    uses: ["clientCredentials"],
    async run(stage) {
      const alpha = await serveFor(stage, {});
      await stage.init(alpha);
      await callInTurn(stage, alpha, ["first", "second"]);
      const shown = requestsOf(alpha).filter(({ path, said }) => path !== "/token" && showsSecret(said));
      must(
        shown.length === 0,
        `${shown.length} requests beside those for tokens have the secret, to ${shown[0]?.path}`,
      );
      return `signed in with ${tokenRequests(alpha)} token requests`;
    },
  },
  "dpop-proof": {
    title: "Where tokens are bound to a key, each request has a proof of its own that the host has the key",
    level: "MUST",
    source: rfc9449("7.1"),
    legal: ["calls that work, at a server that takes each proof once, for its own method, URL and token"],
    fix: "Where the server's metadata has `dpop_bound_access_tokens_required`, send a proof with the token request, and make a new one for each request.",
    over: overHttp,
    uses: ["clientCredentials", "dpop"],
    async run(stage) {
      const alpha = await serveFor(stage, { dpop: "proof" });
      await stage.init(alpha);
      await callInTurn(stage, alpha, ["first", "second", "third"]);
      return `${requestsOf(alpha).length} requests, with ${tokenRequests(alpha)} for tokens`;
    },
  },
  "dpop-nonce": {
    title: "A request that is refused because its proof lacks the server's nonce is sent again with it, and runs once",
    level: "MUST",
    source: rfc9449("9"),
    legal: ["calls that work, each of which ran once, though the server wants another nonce after every few requests"],
    fix: "Keep the latest `DPoP-Nonce` for each server, and send what was refused with `use_dpop_nonce` once more.",
    over: overHttp,
    uses: ["clientCredentials", "dpop"],
    async run(stage) {
      const alpha = await serveFor(stage, { dpop: "nonce" });
      await stage.init(alpha);
      const calls = 10;
      await callInTurn(
        stage,
        alpha,
        Array.from({ length: calls }, (_, n) => `order ${n}`),
      );
      const attempts = requestsOf(alpha).filter(({ said }) => said.includes('"tools/call"')).length;
      must(attempts <= 2 * calls, `${calls} calls were sent ${attempts} times`);
      return `${calls} calls, sent ${attempts} times`;
    },
  },
});

function serveFor(stage: Stage, how: Pick<FaultAuthorization, "dpop">): Promise<Stand> {
  const authorization = { clientId: client.id, clientSecret: client.secret, ...how };
  return stage.serve("alpha", { script: { http: { authorization } }, client });
}

/** Calls that must work. What fails says first what was refused, and why. */
async function callInTurn(stage: Stage, stand: Stand, texts: readonly string[]): Promise<void> {
  try {
    for (const text of texts) await callWell(stage, stand, text);
  } catch (error) {
    const refused = describeRefusals(stand);
    if (!(error instanceof Violation) || refused === undefined) throw error;
    throw new Violation(`${refused}; ${error.message}`);
  }
}

/** The last refusal of each endpoint: those before it, the host may have answered as it should. */
function describeRefusals(stand: Stand): string | undefined {
  const refusals = refusalsIn(stand.server.trace());
  const parts = ["/token", "/mcp"].flatMap((path) => {
    const last = refusals.findLast((refusal) => refusal.path === path);
    // Who was given no token has none to send.
    if (last === undefined || (last.error === "unauthorized" && refusals.some((one) => one.path === "/token")))
      return [];
    const who = path === "/token" ? "the token endpoint" : "the server";
    const times = refusals.filter((refusal) => refusal.path === path && refusal.why === last.why).length;
    const often = times === 1 ? "a request" : `${times} requests`;
    return [`${who} refused ${often} (${last.status} ${last.error}): ${last.why}`];
  });
  if (parts.length > 0 && tokenRequests(stand) === 0) parts.push("nobody asked the token endpoint for a token");
  return parts.length === 0 ? undefined : parts.join("; ");
}

/**
 * Every HTTP request to a server and its authorization server, with headers and body as one text.
 */
function requestsOf({ server }: Stand): readonly { readonly path: string; readonly said: string }[] {
  return server.trace().flatMap(({ direction, text, http }) => {
    const path = http?.["path"];
    if (direction !== "in" || typeof path !== "string") return [];
    return [{ path, said: `${JSON.stringify(http)} ${text}` }];
  });
}

function tokenRequests(stand: Stand): number {
  return requestsOf(stand).filter(({ path }) => path === "/token").length;
}

/** As it is, or as HTTP's Basic authentication writes it. */
function showsSecret(said: string): boolean {
  const basic = Buffer.from(`${client.id}:${client.secret}`).toString("base64");
  return said.includes(client.secret) || said.includes(basic);
}

/** Something between a host and replicas that know nothing of each other's sessions. */
interface LoadBalancer {
  /** What the host is given in place of the replicas. */
  readonly stand: Pick<Stand, "id" | "spec">;
  /** How many requests it has handed on. */
  readonly handedOn: () => number;
  /** Each request goes to the next server from now on, and not to the first one. */
  readonly alternate: () => void;
}

async function startLoadBalancer(stage: Stage, replicas: readonly Stand[]): Promise<LoadBalancer> {
  const urls = replicas.map(({ spec: { transport } }) => ("url" in transport ? transport.url : ""));
  let handedOn = 0;
  let alternates = false;
  const server = await listenOnLoopback(async (incoming, outgoing) => {
    const { headers, method } = incoming;
    handedOn += 1;
    const url = urls[alternates ? handedOn % urls.length : 0] ?? "";
    const forwarded = request(url, { method, headers: { ...headers, host: new URL(url).host } }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      outgoing.flushHeaders();
      response.pipe(outgoing);
    });
    forwarded.on("error", () => outgoing.destroy());
    outgoing.on("close", () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  stage.cleanUp(() => server.close());
  const transport = { type: "http", url: server.url, mode: "streamable" } as const;
  const spec = { id: "balanced", connectMs: stage.patienceMs, closeMs: 400, transport };
  return { stand: { id: spec.id, spec }, handedOn: () => handedOn, alternate: () => void (alternates = true) };
}
