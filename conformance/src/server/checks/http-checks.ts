import type { JsonValue } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import type { Finding } from "../../engine/check.ts";
import { attemptHandshake, envelopeFor, handshake, kitInfo, legacyRevisions, modernRevision } from "../handshake.ts";
import { isLoopback } from "../is-loopback.ts";
import type { HttpResponse } from "../raw-session.ts";
import { describeResponse, judgeResponse } from "./describe-response.ts";
import { fail, hostAdvice, legacySpec, modernSpec, onlyOver, pass, type ServerCheck } from "./define-check.ts";

const needs = ["lifecycle/second-client"];
const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const noSessions: Finding = { status: "not-applicable", reason: "the server uses no sessions" };
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
      ...legacySpec("basic/transports#sending-messages-to-the-server", "Transports, sending messages"),
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
      ...legacySpec("basic/transports#sending-messages-to-the-server", "Transports, sending messages"),
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
        : fail(describeResponse(response), session, target);
    },
  }),
  onlyOver("http", {
    id: "http/get-stream",
    title: "GET opens an event stream or is refused with 405",
    level: "MUST",
    requirement: {
      sentence: "The server returns text/event-stream to a GET, or 405 Method Not Allowed.",
      ...legacySpec("basic/transports#listening-for-messages-from-the-server", "Transports, listening for messages"),
    },
    legal: ["405", "200 with content-type text/event-stream", "from 2026-07-28 on any 4xx"],
    fix: "Answer 405 when you offer no stream; a 404 or 200 with a page makes hosts fall back or retry.",
    needs,
    run: async (target) => {
      const { session, era } = await ready(target);
      const response = await session.fetch({
        method: "GET",
        headers: { accept: "text/event-stream" },
        headersOnly: true,
      });
      const type = response.headers.get("content-type") ?? "";
      const streams = response.status === 200 && type.startsWith("text/event-stream");
      const refused = response.status === 405 || (era === "modern" && response.status >= 400 && response.status < 500);
      if (streams || refused) return pass(refused ? String(response.status) : "an event stream");
      return fail(`${response.status} ${type}`.trim(), session, target);
    },
  }),
  onlyOver("http", {
    id: "http/unknown-session",
    title: "A session id that the server does not know is refused with 404",
    level: "HOST",
    requirement: {
      sentence:
        "After a restart a server knows none of its sessions; 404 is the one status on which hosts begin a new one.",
      ...hostAdvice("unknown-session"),
    },
    legal: ["404"],
    fix: "Answer 404, not 400 or 500, to a session id that you do not know.",
    needs,
    run: async (target) => {
      const { session } = await ready(target);
      if (session.sessionId === undefined) return noSessions;
      const response = await session.fetch({
        method: "POST",
        headers: { "mcp-session-id": "00000000-0000-4000-8000-000000000000" },
        body: ping,
      });
      return judgeResponse(response, { legal: response.status === 404, session, target });
    },
  }),
  onlyOver("http", {
    id: "http/session-required",
    title: "A request without the session id is refused",
    level: "SHOULD",
    requirement: {
      sentence: "A server that requires a session id answers 400 to requests without one, other than initialization.",
      ...legacySpec("basic/transports#session-management", "Transports, session management"),
    },
    legal: ["400, or another 4xx status"],
    fix: "Look the session up before you serve anything; a server that needs no session should issue no id.",
    needs,
    run: async (target) => {
      const { session } = await ready(target);
      if (session.sessionId === undefined) return noSessions;
      const response = await session.fetch({ method: "POST", headers: { "mcp-session-id": "" }, body: ping });
      return judgeResponse(response, { legal: response.status >= 400 && response.status < 500, session, target });
    },
  }),
  onlyOver("http", {
    id: "http/session-id-form",
    title: "Session ids are of visible ASCII characters",
    level: "MUST",
    requirement: {
      sentence: "A session id contains only visible ASCII characters.",
      ...legacySpec("basic/transports#session-management", "Transports, session management"),
    },
    legal: ["characters 0x21 to 0x7E"],
    fix: "Use a random UUID.",
    needs,
    run: async (target) => {
      const { session } = await ready(target);
      if (session.sessionId === undefined) return noSessions;
      return /^[\u0021-\u007E]+$/.test(session.sessionId)
        ? pass(`${session.sessionId.length} characters`)
        : fail("an id with other characters", session, target);
    },
  }),
  onlyOver("http", {
    id: "http/session-id-secure",
    title: "Session ids are unique and hard to guess",
    level: "SHOULD",
    requirement: {
      sentence: "A session id is globally unique and cryptographically secure.",
      ...legacySpec("basic/transports#session-management", "Transports, session management"),
    },
    legal: ["at least 16 characters, and another id for each session"],
    fix: "Use a random UUID.",
    needs,
    run: async (target) => {
      const [{ session: first }, { session: second }] = [await ready(target), await ready(target)];
      if (first.sessionId === undefined) return noSessions;
      if (first.sessionId === second.sessionId) return fail("two sessions got the same id", first, target);
      return first.sessionId.length >= 16
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
    legal: ["a 2xx status", "405"],
    fix: "Handle DELETE: otherwise sessions of hosts that are gone pile up.",
    needs,
    run: async (target) => {
      const { session } = await ready(target);
      if (session.sessionId === undefined) return noSessions;
      const response = await session.fetch({ method: "DELETE" });
      const { status } = response;
      return judgeResponse(response, { legal: status === 405 || isSuccess(status), session, target });
    },
  }),
  onlyOver("http", {
    id: "http/ended-session",
    title: "A session that was ended is answered with 404",
    level: "MUST",
    requirement: {
      sentence: "After a session was terminated, requests with its id are answered with 404.",
      ...legacySpec("basic/transports#session-management", "Transports, session management"),
    },
    legal: ["404 to a request after a DELETE that was accepted"],
    fix: "Forget the session on DELETE, and answer 404 to its id.",
    needs: ["http/delete-session"],
    run: async (target) => {
      const { session } = await ready(target);
      if (session.sessionId === undefined) return noSessions;
      const { status } = await session.fetch({ method: "DELETE" });
      if (!isSuccess(status))
        return { status: "not-applicable", reason: "the server does not let clients end sessions" };
      const after = await session.fetch({ method: "POST", body: ping });
      return after.status === 404 ? pass("404") : fail(describeResponse(after), session, target);
    },
  }),
  onlyOver("http", {
    id: "http/foreign-origin",
    title: "A browser page from elsewhere is refused",
    level: "MUST",
    requirement: {
      sentence: "Servers validate the Origin header, to prevent DNS rebinding, and answer 403 when it is invalid.",
      ...legacySpec("basic/transports#security-warning", "Transports, security warning"),
    },
    legal: ["403, or another 4xx, to a foreign Origin, on a loopback address"],
    fix: "Compare Origin with the origins that you expect; the official SDKs have a middleware for it.",
    needs,
    run: async (target) => {
      if (target.address.type !== "http" || !isLoopback(target.address.url))
        return { status: "not-applicable", reason: "owed by servers on a loopback address" };
      const session = await target.openHttp();
      const { status } = await session.fetch({
        method: "POST",
        headers: { origin: "https://attacker.example" },
        body: initializeBody,
      });
      if (status >= 400 && status < 500) return pass(String(status));
      const but = status >= 500 ? ": it is refused, but a fault of the server's own says another thing" : "";
      return fail(`${status} to Origin https://attacker.example${but}`, session, target);
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
      const { session, protocolVersion } = await ready(target);
      // The header came with 2025-06-18.
      if (protocolVersion < "2025-06-18") return { status: "not-applicable", reason: `not owed in ${protocolVersion}` };
      const response = await session.fetch({
        method: "POST",
        headers: { "mcp-protocol-version": "1999-01-01" },
        body: ping,
      });
      return judgeResponse(response, { legal: response.status === 400, session, target });
    },
  }),
  onlyOver("http", {
    id: "http/bad-json",
    rough: true,
    title: "A body that is no JSON is refused with a 4xx status",
    level: "SHOULD",
    requirement: {
      sentence: "Invalid JSON is answered with a parse error, -32700.",
      section: "JSON-RPC 2.0, section 5.1",
      url: "https://www.jsonrpc.org/specification#error_object",
    },
    legal: ["a 4xx status, for choice with error -32700"],
    fix: "Catch the parse error of the body; a 500 makes hosts try again.",
    needs,
    run: async (target) => {
      const session = await target.openHttp();
      const response = await session.fetch({ method: "POST", body: "{this is no JSON" });
      return judgeResponse(response, { legal: response.status >= 400 && response.status < 500, session, target });
    },
  }),
  onlyOver("http", {
    id: "http/header-mismatch",
    title: "Headers that contradict the body are refused with 400",
    level: "MUST",
    requirement: {
      sentence: "A request whose Mcp-Method header differs from its body is answered with 400 and error -32020.",
      ...modernSpec("basic/transports/streamable-http#server-validation", "Streamable HTTP, server validation"),
      revisions: [modernRevision],
    },
    legal: ["400 with error -32020"],
    fix: "Compare Mcp-Method, Mcp-Name and MCP-Protocol-Version with the body before you run anything: gateways route by them.",
    needs,
    run: async (target) => {
      const probe = await target.openHttp();
      const { ok } = await attemptHandshake(probe, { ...target, revision: modernRevision });
      if (!ok) return { status: "not-applicable", reason: `the server does not speak ${modernRevision}` };
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
      return response.status === 400 && errorCodeOf(response) === -32_020
        ? pass("400, error -32020")
        : fail(describeResponse(response), probe, target);
    },
  }),
  onlyOver("http", {
    id: "http/unknown-method-status",
    title: "From 2026-07-28 on an unknown method is answered with 404 and -32601",
    level: "MUST",
    requirement: {
      sentence: "A server that does not implement a method answers 404 with error -32601.",
      ...modernSpec(
        "basic/transports/streamable-http#protocol-version-header",
        "Streamable HTTP, protocol version header",
      ),
      revisions: [modernRevision],
    },
    legal: ["404 with error -32601"],
    fix: "Set the HTTP status from the error code; the body is what tells it from a wrong address.",
    needs,
    run: async (target) => {
      const probe = await target.openHttp();
      const { ok } = await attemptHandshake(probe, { ...target, revision: modernRevision });
      if (!ok) return { status: "not-applicable", reason: `the server does not speak ${modernRevision}` };
      const method = "hostside/no-such-method";
      const response = await probe.fetch({
        method: "POST",
        headers: { "mcp-method": method, "mcp-protocol-version": modernRevision },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { _meta: envelopeFor(modernRevision) } }),
      });
      return response.status === 404 && errorCodeOf(response) === -32_601
        ? pass("404, error -32601")
        : fail(describeResponse(response), probe, target);
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

function errorCodeOf({ body }: HttpResponse): JsonValue | undefined {
  try {
    const message = JSON.parse(body) as JsonValue;
    return isJsonObject(message) && isJsonObject(message["error"]) ? message["error"]["code"] : undefined;
  } catch {
    // No JSON, no code.
    return undefined;
  }
}

function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}
