import { shakeHands } from "../ready-session.ts";
import type { JsonValue } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import type { Finding } from "../../engine/check.ts";
import { parseObject } from "../../engine/parse-json.ts";
import type { ServerTarget } from "../server-target.ts";
import { attemptHandshake, envelopeFor, kitInfo, legacyRevisions, modernRevision } from "../handshake.ts";
import { isLoopback } from "../server-address.ts";
import type { HttpResponse, HttpSession } from "../raw-session.ts";
import {
  fail,
  pass,
  notApplicable,
  defineChecks,
  legacySpec,
  modernSpec,
  hostAdvice,
  jsonRpcErrors,
  judgeResponse,
  describeResponse,
  isSuccess,
  isRefused,
  type CheckInit,
  type ServerCheck,
} from "./define-check.ts";

const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const noSessions = notApplicable("the server uses no sessions");
/** A first request. */
const initializeBody = JSON.stringify({
  jsonrpc: "2.0",
  id: "http-check",
  method: "initialize",
  params: { protocolVersion: legacyRevisions[0], capabilities: {}, clientInfo: kitInfo },
});

/** How a server behaves over Streamable HTTP. */
export const httpChecks: readonly ServerCheck[] = defineChecks("http", ["lifecycle/second-client"], {
  "http/content-type": {
    title: "Answers are JSON or an event stream",
    level: "MUST",
    rule: "A request is answered with application/json or text/event-stream.",
    source: legacySpec("basic/transports#sending-messages-to-the-server", "Transports, sending messages"),
    legal: ["content-type application/json", "content-type text/event-stream"],
    fix: "Set the content type; a page of a proxy or login form in front of the server is the usual cause of text/html.",
    run: async (target) => {
      const session = await target.open<HttpSession>();
      const { status, headers } = await post(session, initializeBody);
      const type = headers.get("content-type") ?? "none";
      return /^(?:application\/json|text\/event-stream)\b/i.test(type)
        ? pass(type)
        : fail(`${status}, content-type ${type}`);
    },
  },
  "http/notification-accepted": {
    title: "A notification is accepted with 202 and no body",
    level: "MUST",
    rule: "If the server accepts a notification, it returns 202 Accepted without a body.",
    source: legacySpec("basic/transports#sending-messages-to-the-server", "Transports, sending messages"),
    legal: ["202 with an empty body"],
    fix: "Answer a POST that holds no request with 202 at once.",
    run: async (target) => {
      const { session, era, protocolVersion } = await ready(target);
      if (era === "modern") return notApplicable(`not owed in ${protocolVersion}`);
      const response = await post(session, '{"jsonrpc":"2.0","method":"notifications/initialized"}');
      return response.status === 202 && response.body === "" ? pass("202") : fail(describeResponse(response));
    },
  },
  "http/get-stream": {
    title: "GET opens an event stream or is refused with 405",
    level: "MUST",
    rule: "The server returns text/event-stream to a GET, or 405 Method Not Allowed.",
    source: legacySpec("basic/transports#listening-for-messages-from-the-server", "Transports, listening for messages"),
    legal: ["405", "200 with content-type text/event-stream", "from 2026-07-28 on any 4xx"],
    fix: "Answer 405 when you offer no stream; a 404 or 200 with a page makes hosts fall back or retry.",
    run: async (target) => {
      const { session, era } = await ready(target);
      const response = await session.fetch({
        method: "GET",
        headers: { accept: "text/event-stream" },
        headersOnly: true,
      });
      const type = response.headers.get("content-type") ?? "";
      const streams = response.status === 200 && type.startsWith("text/event-stream");
      const refused = response.status === 405 || (era === "modern" && isRefused(response));
      if (streams || refused) return pass(refused ? String(response.status) : "an event stream");
      return fail(`${response.status} ${type}`.trim());
    },
  },
  "http/session-required": {
    title: "A request without the session id is refused",
    level: "SHOULD",
    rule: "A server that requires a session id answers 400 to requests without one, other than initialization.",
    source: legacySpec("basic/transports#session-management", "Transports, session management"),
    legal: ["400, or another 4xx status"],
    fix: "Look the session up before you serve anything; a server that needs no session should issue no id.",
    run: inSession(async (session) => {
      const response = await post(session, ping, { "mcp-session-id": "" });
      return judgeResponse(response, isRefused(response));
    }),
  },
  "http/unknown-session": {
    title: "A session id that the server does not know is refused with 404",
    level: "HOST",
    rule: "After a restart a server knows none of its sessions; 404 is the one status on which hosts begin a new one.",
    source: hostAdvice("unknown-session"),
    legal: ["404"],
    fix: "Answer 404, not 400 or 500, to a session id that you do not know.",
    needs: ["http/session-required"],
    run: inSession(async (session) => {
      const response = await post(session, ping, { "mcp-session-id": "00000000-0000-4000-8000-000000000000" });
      return judgeResponse(response, response.status === 404);
    }),
  },
  "http/session-id-form": {
    title: "Session ids are of visible ASCII characters",
    level: "MUST",
    rule: "A session id contains only visible ASCII characters.",
    source: legacySpec("basic/transports#session-management", "Transports, session management"),
    legal: ["characters 0x21 to 0x7E"],
    fix: "Use a random UUID.",
    run: inSession(async (_, id) => {
      return /^[\u0021-\u007E]+$/.test(id) ? pass(`${id.length} characters`) : fail("an id with other characters");
    }),
  },
  "http/session-id-secure": {
    title: "Session ids are unique and hard to guess",
    level: "SHOULD",
    rule: "A session id is globally unique and cryptographically secure.",
    source: legacySpec("basic/transports#session-management", "Transports, session management"),
    legal: ["at least 16 characters, and another id for each session"],
    fix: "Use a random UUID.",
    run: async (target) => {
      const [{ session: first }, { session: second }] = [await ready(target), await ready(target)];
      if (first.sessionId === undefined) return noSessions;
      if (first.sessionId === second.sessionId) return fail("two sessions got the same id");
      return first.sessionId.length >= 16
        ? pass(`${first.sessionId.length} characters`)
        : fail(`an id of ${first.sessionId.length} characters`);
    },
  },
  "http/delete-session": {
    title: "DELETE ends the session or is refused with 405",
    level: "SHOULD",
    rule: "Clients end a session with DELETE; a server that does not allow it answers 405.",
    source: legacySpec("basic/transports#session-management", "Transports, session management"),
    legal: ["a 2xx status", "405"],
    fix: "Handle DELETE: otherwise sessions of hosts that are gone pile up.",
    needs: ["http/session-required"],
    run: inSession(async (session) => {
      const response = await session.fetch({ method: "DELETE" });
      return judgeResponse(response, response.status === 405 || isSuccess(response));
    }),
  },
  "http/ended-session": {
    title: "A session that was ended is answered with 404",
    level: "MUST",
    rule: "After a session was terminated, requests with its id are answered with 404.",
    source: legacySpec("basic/transports#session-management", "Transports, session management"),
    legal: ["404 to a request after a DELETE that was accepted"],
    fix: "Forget the session on DELETE, and answer 404 to its id.",
    needs: ["http/delete-session"],
    run: inSession(async (session) => {
      if (!isSuccess(await session.fetch({ method: "DELETE" })))
        return notApplicable("the server does not let clients end sessions");
      const after = await post(session, ping);
      return judgeResponse(after, after.status === 404);
    }),
  },
  "http/foreign-origin": foreignOrigin((target) => target.open<HttpSession>(), {
    level: "MUST",
    rule: "Servers validate the Origin header, to prevent DNS rebinding, and answer 403 when it is invalid.",
    source: legacySpec("basic/transports#security-warning", "Transports, security warning"),
  }),
  "http/unsupported-version-header": {
    title: "An unknown MCP-Protocol-Version is refused with 400",
    level: "MUST",
    rule: "A request with an invalid or unsupported MCP-Protocol-Version is answered with 400.",
    source: legacySpec("basic/transports#protocol-version-header", "Transports, protocol version header"),
    legal: ["400"],
    fix: "Check the header on every request after the handshake.",
    run: async (target) => {
      const { session, protocolVersion } = await ready(target);
      // The header came with 2025-06-18.
      if (protocolVersion < "2025-06-18") return notApplicable(`not owed in ${protocolVersion}`);
      const response = await post(session, ping, { "mcp-protocol-version": "1999-01-01" });
      return judgeResponse(response, response.status === 400);
    },
  },
  "http/bad-json": badJson((target) => target.open<HttpSession>()),
  "http/header-mismatch": {
    title: "Headers that contradict the body are refused with 400",
    level: "MUST",
    rule: "A request whose Mcp-Method header differs from its body is answered with 400 and error -32020.",
    source: modernSpec("basic/transports/streamable-http#server-validation", "Streamable HTTP, server validation"),
    revisions: [modernRevision],
    legal: ["400 with error -32020"],
    fix: "Compare Mcp-Method, Mcp-Name and MCP-Protocol-Version with the body before you run anything: gateways route by them.",
    run: (target) => askModern(target, { "mcp-method": "tools/call" }, ["tools/list", 400, -32_020]),
  },
  "http/unknown-method-status": {
    title: "From 2026-07-28 on an unknown method is answered with 404 and -32601",
    level: "MUST",
    rule: "A server that does not implement a method answers 404 with error -32601.",
    source: modernSpec(
      "basic/transports/streamable-http#protocol-version-header",
      "Streamable HTTP, protocol version header",
    ),
    revisions: [modernRevision],
    legal: ["404 with error -32601"],
    fix: "Set the HTTP status from the error code; the body is what tells it from a wrong address.",
    run: (target) => {
      const method = "hostside/no-such-method";
      return askModern(target, { "mcp-method": method }, [method, 404, -32_601]);
    },
  },
});

type Opener = (target: ServerTarget) => Promise<Pick<HttpSession, "fetch">>;

/** Posts a body to the endpoint of a session. */
export function post(
  session: Pick<HttpSession, "fetch">,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<HttpResponse> {
  return session.fetch({ method: "POST", headers, body });
}

/** A check of what a server on loopback says to a page of another origin. */
export function foreignOrigin(open: Opener, info: Pick<CheckInit, "level" | "rule" | "source">): CheckInit {
  return {
    ...info,
    title: "A browser page from elsewhere is refused",
    legal: ["403, or another 4xx, to a foreign Origin, on a loopback address"],
    fix: "Compare Origin with the origins that you expect; the official SDKs have a middleware for it.",
    run: async (target) => {
      if (target.address.type === "stdio" || !isLoopback(target.address.url))
        return notApplicable("owed by servers on a loopback address");
      const response = await post(await open(target), initializeBody, { origin: "https://attacker.example" });
      return response.status >= 500
        ? fail(
            `${response.status} to Origin https://attacker.example: it is refused, but a fault of the server's own says another thing`,
          )
        : judgeResponse(response, isRefused(response));
    },
  };
}

/** A check of what a server says to a body that is no JSON, on a session that is opened for it. */
export function badJson(open: Opener): CheckInit {
  return {
    rough: true,
    title: "A body that is no JSON is refused with a 4xx status",
    level: "SHOULD",
    rule: "Invalid JSON is answered with a parse error, -32700.",
    source: jsonRpcErrors,
    legal: ["a 4xx status, for choice with error -32700"],
    fix: "Catch the parse error of the body; a 500 makes hosts try again.",
    run: async (target) => {
      const response = await post(await open(target), "{this is no JSON");
      return judgeResponse(response, isRefused(response));
    },
  };
}

async function ready(target: ServerTarget): Promise<{ session: HttpSession; era: string; protocolVersion: string }> {
  const session = await target.open<HttpSession>();
  const { handshake } = await shakeHands(session, target);
  return { ...handshake, session };
}

/** Judges a server that uses sessions, by one and its id. */
function inSession(judge: (session: HttpSession, id: string) => Promise<Finding>): ServerCheck["run"] {
  return async (target) => {
    const { session } = await ready(target);
    return session.sessionId === undefined ? noSessions : judge(session, session.sessionId);
  };
}

/** Judges the answer to a request of the modern era: its status, and the code of its error. */
async function askModern(
  target: ServerTarget,
  headers: { readonly "mcp-method": string },
  [method, status, code]: readonly [method: string, status: number, code: number],
): Promise<Finding> {
  const session = await target.open<HttpSession>();
  const { ok } = await attemptHandshake(session, { ...target, revision: modernRevision });
  if (!ok) return notApplicable(`the server does not speak ${modernRevision}`);
  const body = { jsonrpc: "2.0", id: 1, method, params: { _meta: envelopeFor(modernRevision) } };
  const response = await post(session, JSON.stringify(body), { ...headers, "mcp-protocol-version": modernRevision });
  return response.status === status && errorCodeOf(response) === code
    ? pass(`${status}, error ${code}`)
    : fail(describeResponse(response));
}

// Of one message: a batch is no answer to a request.
function errorCodeOf({ body }: HttpResponse): JsonValue | undefined {
  const error = parseObject(body)?.["error"];
  return isJsonObject(error) ? error["code"] : undefined;
}
