import { shakeHands } from "../ready-session.ts";
import type { Finding } from "../../engine/check.ts";
import { inSeconds } from "../../engine/in-seconds.ts";
import type { SseSession } from "../raw-session.ts";
import type { ServerTarget } from "../server-target.ts";
import {
  fail,
  pass,
  notKnown,
  defineChecks,
  hostAdvice,
  judgeResponse,
  describeResponse,
  isSuccess,
  isRefused,
  type ServerCheck,
} from "./define-check.ts";
import { badJson, foreignOrigin, post } from "./http-checks.ts";

const oldSpec = {
  section: "Transports, HTTP with SSE",
  url: "https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse",
  revisions: ["2024-11-05"],
};

/** How a server behaves over HTTP+SSE, the transport of 2024-11-05. */
export const sseChecks: readonly ServerCheck[] = defineChecks("sse", ["lifecycle/second-client"], {
  "sse/endpoint": {
    title: "A GET opens an event stream that names where messages go",
    level: "MUST",
    rule: "When a client connects, the server sends an endpoint event with the URI that messages are posted to.",
    source: oldSpec,
    legal: ["200 with content-type text/event-stream, and an event named endpoint whose data is a URI"],
    fix: "Send event: endpoint as soon as the stream is open; its data is a path or a URL, not JSON.",
    needs: [],
    run: async (target) => {
      const session = await firstSession(target);
      const { endpoint, instead } = await session.stream(target.answerMs);
      if (endpoint !== undefined && URL.canParse(endpoint, addressOf(target).href))
        return pass(new URL(endpoint, addressOf(target)).pathname);
      if (endpoint !== undefined) return fail(`an endpoint that is no URI: ${endpoint}`);
      if (instead === undefined) return noEndpointYet(target);
      const type = instead.headers.get("content-type") ?? "no content type";
      return fail(instead.status === 0 ? instead.body : `${type}, ${describeResponse(instead)}`);
    },
  },
  "sse/endpoint-origin": {
    title: "Messages go to the origin of the stream",
    level: "HOST",
    rule: "Hosts send no credentials to another origin because a stream says so; most refuse to connect.",
    source: hostAdvice("sse-endpoint-origin"),
    legal: ["a path", "a URL of the same scheme, hostname and port"],
    fix: "Name a path. Behind a proxy a full URL is usually that of the server itself, which its clients cannot reach.",
    needs: ["sse/endpoint"],
    run: async (target) => {
      const session = await firstSession(target);
      const { endpoint } = await session.stream(target.answerMs);
      if (endpoint === undefined) return noEndpointYet(target);
      const { origin } = new URL(endpoint, addressOf(target));
      return origin === addressOf(target).origin ? pass(origin) : fail(`messages go to ${origin}`);
    },
  },
  "sse/message-events": {
    title: "Messages come in events named message",
    level: "MUST",
    rule: "The server's messages are sent as events of the type message, with the JSON as their data.",
    source: oldSpec,
    legal: ["event: message", "no event field, which means the same"],
    fix: "Name the event message, or leave the field out: clients listen for that name alone.",
    run: async (target) => {
      const session = await ready(target);
      await session.request("tools/list");
      const [other] = [...session.eventNames].filter((name) => name !== "message");
      return other === undefined ? pass("message") : fail(`an event named ${JSON.stringify(other)}`);
    },
  },
  "sse/notification-accepted": {
    title: "A notification is accepted with a 2xx status",
    level: "HOST",
    rule: "Hosts take any other status for a connection that is broken, and end it.",
    source: hostAdvice("sse-accepted"),
    legal: ["202", "another 2xx status"],
    fix: "Answer 202 as soon as the body is read; the answer to a request follows on the stream.",
    run: async (target) => {
      const session = await ready(target);
      const response = await post(session, '{"jsonrpc":"2.0","method":"notifications/hostside-unknown"}');
      return judgeResponse(response, isSuccess(response));
    },
  },
  "sse/own-endpoint": {
    title: "Each stream has an address of its own, which is hard to guess",
    level: "HOST",
    rule: "The address is all that keeps one client's messages from another's session.",
    source: hostAdvice("sse-own-endpoint"),
    legal: ["two streams name two addresses, each of which has at least 16 characters of its own"],
    fix: "Put a random UUID into the address, one for each stream.",
    run: async (target) => {
      const sessions = [await target.open<SseSession>(), await target.open<SseSession>()] as const;
      const [first, second] = await Promise.all(sessions.map((session) => session.stream(target.answerMs)));
      if (first?.endpoint === undefined || second?.endpoint === undefined) return noEndpointYet(target);
      const other = second.endpoint;
      const differs = Array.from(first.endpoint).filter((letter, n) => letter !== other[n]).length;
      if (differs === 0) return fail("two streams named the same address");
      return differs >= 16
        ? pass(`${differs} characters differ`)
        : fail(`the addresses differ in ${differs} characters`);
    },
  },
  "sse/unknown-session": {
    title: "An address without a stream is refused with a 4xx status",
    level: "HOST",
    rule: "After a restart a server knows none of its streams; what it accepts then is never answered.",
    source: hostAdvice("sse-unknown-session"),
    legal: ["404, or another 4xx status"],
    fix: "Answer 404 to a message for a stream that is not open.",
    needs: ["sse/own-endpoint"],
    run: async (target) => {
      const [session, other] = [await target.open<SseSession>(), await target.open<SseSession>()];
      const { endpoint } = await other.stream(target.answerMs);
      if (endpoint === undefined) return noEndpointYet(target);
      const own = (await session.stream(target.answerMs)).endpoint ?? "";
      const strange = Array.from(endpoint, (letter, n) => (letter === own[n] ? letter : "0")).join("");
      const stray = {
        method: "POST",
        body: '{"jsonrpc":"2.0","id":"stray","method":"ping"}',
        url: new URL(strange, addressOf(target)),
      };
      const response = await session.fetch(stray).catch(async () => {
        // Silence says something once a handshake was answered meanwhile.
        const again = session.fetch({ ...stray, timeoutMs: target.answerMs * 3 }).catch(() => undefined);
        return Promise.all([again, ready(target)]).then(([late]) => late);
      });
      if (response === undefined) return fail("no answer, while another session got one");
      return judgeResponse(response, isRefused(response));
    },
  },
  "sse/bad-json": badJson(ready),
  "sse/foreign-origin": foreignOrigin(ready, {
    level: "HOST",
    rule: "Any page that a user opens can post to a server on loopback, by rebinding a name to its address.",
    source: hostAdvice("sse-foreign-origin"),
  }),
});

/**
 * That of the first contact if there was one: a server that knows the last stream alone is the
 * concern of another check.
 */
async function firstSession(target: ServerTarget): Promise<SseSession> {
  return target.first ? ((await target.shared()).session as SseSession) : target.open<SseSession>();
}

async function ready(target: ServerTarget): Promise<SseSession> {
  const session = await target.open<SseSession>();
  await shakeHands(session, target);
  return session;
}

function addressOf({ address }: ServerTarget): URL {
  if (address.type !== "sse") throw new TypeError("the target is not a server over HTTP+SSE");
  return address.url;
}

function noEndpointYet({ answerMs }: ServerTarget): Finding {
  return notKnown(`no endpoint event came within ${inSeconds(answerMs)}`);
}
