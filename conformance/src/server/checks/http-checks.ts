import { isJsonObject } from "@toolport/core";
import { envelopeFor, handshake, kitInfo, legacyRevisions, modernRevision } from "../handshake.ts";
import type { HttpResponse } from "../raw-session.ts";
import { fail, legacySpec, modernSpec, onlyOver, pass, type ServerCheck } from "./define-check.ts";

const page = "basic/transports#streamable-http";
const needs = ["lifecycle/initialize"];
const initializeBody = JSON.stringify({
  jsonrpc: "2.0",
  id: "http-check",
  method: "initialize",
  params: { protocolVersion: legacyRevisions[0], capabilities: {}, clientInfo: kitInfo },
});

/** How a server behaves over Streamable HTTP. */
export const httpChecks: readonly ServerCheck[] = [
  onlyOver("http", {
    id: "http/content-type",
    title: "Answers are JSON or an event stream",
    level: "MUST",
    requirement: {
      sentence: "A request is answered with application/json or text/event-stream.",
      ...legacySpec(page, "Transports, Streamable HTTP"),
    },
    legal: ["content-type application/json", "content-type text/event-stream"],
    fix: "Set the content type; a page of a proxy or login form in front of the server is the usual cause of text/html.",
    needs,
    run: async (target) => {
      const session = await target.openHttp();
      const { status, headers } = await session.fetch({ method: "POST", body: initializeBody });
      const type = headers.get("content-type") ?? "none";
      return /^(?:application\/json|text\/event-stream)\b/i.test(type)
        ? pass(type)
        : fail(`${status}, content-type ${type}`, session, target);
    },
  }),
  onlyOver("http", {
    id: "http/notification-accepted",
    title: "A notification is accepted with 202 and no body",
    level: "MUST",
    requirement: {
      sentence: "If the server accepts a notification, it returns 202 Accepted without a body.",
      ...legacySpec(page, "Transports, sending messages"),
    },
    legal: ["202 with an empty body"],
    fix: "Answer a POST that holds no request with 202 at once.",
    needs,
    run: async (target) => {
      const { session, era, protocolVersion } = await ready(target);
      if (era === "modern") return { status: "not-applicable", reason: `not owed in ${protocolVersion}` };
      const response = await session.fetch({
        method: "POST",
        body: '{"jsonrpc":"2.0","method":"notifications/initialized"}',
      });
      return response.status === 202 && response.body === ""
        ? pass("202")
        : fail(`${response.status}: ${response.body.slice(0, 120)}`, session, target);
    },
  }),
  onlyOver("http", {
    id: "http/get-stream",
    title: "GET opens an event stream or is refused with 405",
    level: "MUST",
    requirement: {
      sentence: "The server returns text/event-stream to a GET, or 405 Method Not Allowed.",
      ...legacySpec(page, "Transports, listening for messages"),
    },
    legal: ["405", "200 with content-type text/event-stream", "from 2026-07-28 on any 4xx"],
    fix: "Answer 405 when you offer no stream; a 404 or 200 with a page makes hosts fall back or retry.",
    needs,
    run: async (target) => {
      const { session, era } = await ready(target);
      const response = await session.fetch({
        method: "GET",
        headers: { accept: "text/event-stream" },
        timeoutMs: 1000,
      });
      const type = response.headers.get("content-type") ?? "";
      const streams = response.status === 200 && type.startsWith("text/event-stream");
      const refused = response.status === 405 || (era === "modern" && response.status >= 400 && response.status < 500);
      // An open stream never ends by itself; the kit hangs up, and status 0 tells of that.
      if (streams || refused || (response.status === 0 && response.body.includes("no end of the response")))
        return pass(refused ? String(response.status) : "an event stream");
      return fail(`${response.status} ${type} ${response.body.slice(0, 80)}`, session, target);
    },
  }),
  onlyOver("http", {
    id: "http/unknown-session",
    title: "A session id that the server does not know is refused with 404",
    level: "MUST",
    requirement: {
      sentence:
        "A request with the id of a session that was ended is answered with 404, so that the client starts a new one.",
      ...legacySpec("basic/transports#session-management", "Transports, session management"),
    },
    legal: ["404"],
    fix: "Answer 404, not 400 or 500: it is the one status on which hosts start a new session and go on.",
    needs,
    run: async (target) => {
      const { session } = await ready(target);
      if (session.sessionId === undefined) return { status: "not-applicable", reason: "the server uses no sessions" };
      const response = await session.fetch({
        method: "POST",
        headers: { "mcp-session-id": "00000000-0000-4000-8000-000000000000" },
        body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
      });
      return response.status === 404
        ? pass("404")
        : fail(`${response.status}: ${response.body.slice(0, 120)}`, session, target);
    },
  }),
  onlyOver("http", {
    id: "http/session-id-form",
    title: "Session ids are visible ASCII and hard to guess",
    level: "SHOULD",
    requirement: {
      sentence: "A session id is globally unique, cryptographically secure, and of visible ASCII characters.",
      ...legacySpec("basic/transports#session-management", "Transports, session management"),
    },
    legal: ["characters 0x21 to 0x7E, at least 16 of them, another id for each session"],
    fix: "Use a random UUID.",
    needs,
    run: async (target) => {
      const [{ session: first }, { session: second }] = [await ready(target), await ready(target)];
      if (first.sessionId === undefined) return { status: "not-applicable", reason: "the server uses no sessions" };
      if (first.sessionId === second.sessionId) return fail("two sessions got the same id", first, target);
      return /^[\u0021-\u007E]{16,}$/.test(first.sessionId)
        ? pass(`${first.sessionId.length} characters`)
        : fail(`an id of ${first.sessionId.length} characters`, first, target);
    },
  }),
  onlyOver("http", {
    id: "http/delete-session",
    title: "DELETE ends the session or is refused with 405",
    level: "SHOULD",
    requirement: {
      sentence: "Clients end a session with DELETE; a server that does not allow it answers 405.",
      ...legacySpec("basic/transports#session-management", "Transports, session management"),
    },
    legal: ["a 2xx status, after which the session is unknown", "405"],
    fix: "Handle DELETE: otherwise sessions of hosts that are gone pile up.",
    needs,
    run: async (target) => {
      const { session } = await ready(target);
      if (session.sessionId === undefined) return { status: "not-applicable", reason: "the server uses no sessions" };
      const { status } = await session.fetch({ method: "DELETE" });
      if (status === 405) return pass("405");
      if (status < 200 || status > 299) return fail(`DELETE: ${status}`, session, target);
      const after = await session.fetch({ method: "POST", body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' });
      return after.status === 404 || after.status === 400
        ? pass(`${status}, then ${after.status}`)
        : fail(`the session still answers: ${after.status}`, session, target);
    },
  }),
  onlyOver("http", {
    id: "http/foreign-origin",
    title: "A browser page from elsewhere is refused",
    level: "MUST",
    requirement: {
      sentence: "Servers validate the Origin header, to prevent DNS rebinding, and answer 403 when it is invalid.",
      ...legacySpec(page, "Transports, security warning"),
    },
    legal: ["403, or another 4xx, to a foreign Origin, on a loopback address"],
    fix: "Compare Origin with the origins that you expect; the official SDKs have a middleware for it.",
    needs,
    run: async (target) => {
      if (target.address.kind !== "http" || !isLoopback(target.address.url))
        return { status: "not-applicable", reason: "owed by servers on a loopback address" };
      const session = await target.openHttp();
      const { status } = await session.fetch({
        method: "POST",
        headers: { origin: "https://attacker.example" },
        body: initializeBody,
      });
      return status >= 400 && status < 500
        ? pass(String(status))
        : fail(`${status} to Origin https://attacker.example`, session, target);
    },
  }),
  onlyOver("http", {
    id: "http/unsupported-version-header",
    title: "An unknown MCP-Protocol-Version is refused with 400",
    level: "MUST",
    requirement: {
      sentence: "A request with an invalid or unsupported MCP-Protocol-Version is answered with 400.",
      ...legacySpec("basic/transports#protocol-version-header", "Transports, protocol version header"),
    },
    legal: ["400"],
    fix: "Check the header on every request after the handshake.",
    needs,
    run: async (target) => {
      const { session } = await ready(target);
      const response = await session.fetch({
        method: "POST",
        headers: { "mcp-protocol-version": "1999-01-01" },
        body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
      });
      return response.status === 400
        ? pass("400")
        : fail(`${response.status}: ${response.body.slice(0, 120)}`, session, target);
    },
  }),
  onlyOver("http", {
    id: "http/bad-json",
    title: "A body that is no JSON is refused with a 4xx status",
    level: "MUST",
    requirement: {
      sentence: "A parse error is answered with -32700 and an HTTP error status.",
      ...legacySpec(page, "Transports, sending messages"),
    },
    legal: ["a 4xx status"],
    fix: "Catch the parse error of the body; a 500 makes hosts try again.",
    needs,
    run: async (target) => {
      const session = await target.openHttp();
      const { status } = await session.fetch({ method: "POST", body: "{this is no JSON" });
      return status >= 400 && status < 500 ? pass(String(status)) : fail(String(status), session, target);
    },
  }),
  onlyOver("http", {
    id: "http/header-mismatch",
    title: "Headers that contradict the body are refused with 400",
    level: "MUST",
    requirement: {
      sentence: "A request whose Mcp-Method header differs from its body is answered with 400 and error -32020.",
      ...modernSpec("basic/transports#headers", "Transports, headers"),
      revisions: [modernRevision],
    },
    legal: ["400, for choice with error -32020"],
    fix: "Compare Mcp-Method, Mcp-Name and MCP-Protocol-Version with the body before you run anything: gateways route by them.",
    needs,
    run: async (target) => {
      const probe = await target.openHttp();
      const modern = await handshake(probe, { ...target, revision: modernRevision }).catch(() => undefined);
      if (!modern) return { status: "not-applicable", reason: `the server does not speak ${modernRevision}` };
      const body = JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/list",
        params: { _meta: envelopeFor(modernRevision) },
      });
      const response = await probe.fetch({
        method: "POST",
        headers: { "mcp-method": "tools/call", "mcp-protocol-version": modernRevision },
        body,
      });
      return response.status === 400
        ? pass(errorOf(response))
        : fail(`${response.status}: ${response.body.slice(0, 120)}`, probe, target);
    },
  }),
];

async function ready(
  target: Parameters<ServerCheck["run"]>[0],
): Promise<{ session: Awaited<ReturnType<typeof target.openHttp>>; era: string; protocolVersion: string }> {
  const session = await target.openHttp();
  const { era, protocolVersion } = await handshake(session, target);
  return { session, era, protocolVersion };
}

function errorOf({ status, body }: HttpResponse): string {
  try {
    const message: unknown = JSON.parse(body);
    return isJsonObject(message) && isJsonObject(message["error"])
      ? `${status}, error ${JSON.stringify(message["error"]["code"])}`
      : String(status);
  } catch {
    // The status alone is what counts.
    return String(status);
  }
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.");
}
