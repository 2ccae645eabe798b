import type { FaultAuthorization } from "@hostside/fixtures";
import { legacySpec } from "../../server/checks/define-check.ts";
import type { DriverClient } from "../driver-protocol.ts";
import { scenariosOf, type HostScenario } from "../host-scenario.ts";
import { overHttp } from "../host-venue.ts";
import type { Stage, Stand } from "../stage.ts";
import { must, Violation } from "../violation.ts";
import { refusalsIn } from "../wire-view.ts";
import { callWell } from "./judge-calls.ts";

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
