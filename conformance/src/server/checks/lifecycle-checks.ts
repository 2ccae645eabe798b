import {
  attemptHandshake,
  describeAnswer,
  excerpt,
  initialize,
  legacyRevisions,
  modernRevision,
} from "../handshake.ts";
import { readySession, type ReadySession } from "../ready-session.ts";
import type { ServerTarget } from "../server-target.ts";
import {
  fail,
  pass,
  legacySpec,
  failWith,
  defineChecks,
  modernSpec,
  type CheckInit,
  type ServerCheck,
  notKnown,
  preventedBy,
} from "./define-check.ts";
import { isJsonObject } from "@hostside/core/implement";
import type { Finding } from "../../engine/check.ts";
import type { Answer, HttpSession, RawSession, SseSession } from "../raw-session.ts";

/**
 * Whether there is a session after the handshake. One that is forgotten at once, or whose process
 * ends, would fail all other checks for reasons that hide it.
 */
const goesOnCheck: CheckInit = {
  title: "The session that a handshake begins is there afterwards",
  level: "MUST",
  rule: "Every request is answered with a result or an error, also the one after a handshake.",
  source: legacySpec("basic#responses", "Base protocol, responses"),
  legal: [
    "the request after the handshake is answered, or refused for what it asks",
    "the server ends the session, as it may at any time (over HTTP it answers 404 then), and goes on with the next one",
  ],
  fix: "Over HTTP keep the session under the Mcp-Session-Id that you gave out, in memory that all workers share; over stdio let the process live until its stdin ends.",
  needs: ["lifecycle/initialize"],
  run: async (target) => {
    const found = await goesOn(await target.shared(), target);
    return found.status === "fail" ? goesOn(await target.openReady(), target) : found;
  },
};

async function goesOn(ready: ReadySession, { quickMs }: ServerTarget): Promise<Finding> {
  const answer = await ready.probe({ timeoutMs: quickMs });
  if (answer.kind === "gone") return fail(`initialize was answered, and then ${answer.reason}`);
  const isRefused = answer.kind === "error" || answer.kind === "http";
  if (!isRefused || !("sessionId" in ready.session)) return pass(answer.kind);
  const session = ready.session as HttpSession;
  const { sessionId } = session;
  if (sessionId === undefined) return pass(answer.kind);
  const { status } = await session.fetch({ method: "POST", body: '{"jsonrpc":"2.0","id":"again","method":"ping"}' });
  return status === 404
    ? fail(`initialize gave the session id ${excerpt(sessionId)}, and the next requests with it got HTTP 404`)
    : pass(answer.kind);
}

/**
 * Whether a server over HTTP serves more than one client. Nearly all other checks open a session of
 * their own, so that one server object for all clients, which is the commonest mistake of servers
 * over HTTP, would fail them one by one for reasons that hide it.
 */
const secondClientCheck: CheckInit = {
  title: "A second client is served while the first is connected",
  level: "MUST",
  rule: "Over HTTP a server is a process of its own that handles the connections of many clients.",
  source: legacySpec("basic/transports#streamable-http", "Transports, Streamable HTTP"),
  legal: ["a second handshake succeeds, and both clients are answered, each its own request"],
  fix: "Make a server object and a transport for each session (or for each request, without sessions); one of them for all clients knows the first, or the last, alone.",
  needs: ["lifecycle/goes-on"],
  run: async (target) => {
    if (target.address.type === "stdio") return pass("each client has a process of its own");
    const first = await target.shared();
    const session = await target.open();
    const attempt = await attemptHandshake(session, target);
    if (!attempt.ok) return fail(`the second client: ${attempt.reason}`);
    const second = readySession(session, attempt.handshake);
    for (const [asking, other, name] of [
      [first, second, "first"],
      [second, first, "second"],
    ] as const) {
      const problem = await probe(asking, other, { name, answerMs: target.answerMs });
      if (problem !== undefined) return fail(problem);
    }
    return pass("both clients were answered");
  },
};

/** What went wrong, which silence on a busy machine is not. */
async function probe(
  asking: ReadySession,
  other: ReadySession,
  { name, answerMs }: { readonly name: string; readonly answerMs: ServerTarget["answerMs"] },
): Promise<string | undefined> {
  const id = `${name}-client`;
  const answer = await asking.probe({ id });
  if (answer.kind === "result" || answer.kind === "error") return undefined;
  const astray = other.session.unsolicited.some((message) => message["id"] === id);
  if (astray) return `the answer to the ${name} client went to the other one`;
  if (answer.kind !== "silence") return `the ${name} client, once there are two: ${describeAnswer(answer)}`;
  // Where the other one is silent, too, it is not a matter of two clients: a server that answers no
  // probe, or a busy machine.
  const alive = await other.probe({ timeoutMs: answerMs * 2 });
  if (alive.kind === "silence") return undefined;
  const again = await asking.probe({ id: `${id}-again`, timeoutMs: answerMs * 2 });
  if (again.kind === "silence")
    return `the ${name} client, once there are two: ${describeAnswer(again)}, while the other one was answered`;
  return undefined;
}

const lifecycle = "basic/lifecycle";

/** Revisions that a legacy handshake can end in, whatever it began with. */
const known: readonly string[] = legacyRevisions;

/** Who answers this with no revision at all fails the others for the same reason. */
const newest = `lifecycle/negotiates-${legacyRevisions[0]}`;

/** How a server starts a session. */
export const lifecycleChecks: readonly ServerCheck[] = defineChecks("any", ["lifecycle/second-client"], {
  "lifecycle/initialize": {
    title: "A handshake of some revision succeeds",
    level: "MUST",
    rule: "A session begins with initialize, or with server/discover from 2026-07-28 on.",
    source: legacySpec(`${lifecycle}#initialization`, "Lifecycle, initialization"),
    legal: ["a result of initialize", "a result of server/discover, from a server that speaks only 2026-07-28"],
    fix: "Read the trace; over stdio, what the server wrote to stderr before it gave up usually names the cause, over HTTP the status and the body.",
    needs: [],
    run: async (target) => {
      const { first } = target;
      if (first) return pass(`${first.ready.handshake.protocolVersion} (${first.ready.handshake.era})`);
      const session = await target.open();
      const attempt = await attemptHandshake(session, target);
      if (attempt.ok) return pass("at the second attempt");
      return (await streamProblem(session, target)) ?? fail(`${attempt.reason}${addressHint(attempt.answer)}`);
    },
  },
  "lifecycle/goes-on": goesOnCheck,
  "lifecycle/second-client": secondClientCheck,
  "lifecycle/initialize-result": {
    title: "The result of the handshake has all its members",
    level: "MUST",
    rule: "The server answers with its protocol version, its capabilities and its implementation's name and version.",
    source: legacySpec(`${lifecycle}#initialization`, "Lifecycle, initialization"),
    legal: [
      "legacy: protocolVersion (string), capabilities (object), serverInfo with name and version (strings)",
      "2026-07-28: supportedVersions (array of strings), capabilities (object)",
    ],
    fix: "Return every member, also those that are empty: capabilities may be {} but not absent.",
    needs: ["lifecycle/initialize"],
    run: async (target) => {
      const { handshake: done } = await target.shared();
      const { result, serverInfo, era } = done;
      const problems: string[] = [];
      if (!isJsonObject(result["capabilities"])) problems.push("capabilities is no object");
      if (era === "legacy") {
        if (typeof result["protocolVersion"] !== "string") problems.push("protocolVersion is no string");
        for (const member of ["name", "version"]) {
          if (typeof serverInfo?.[member] !== "string") problems.push(`serverInfo.${member} is no string`);
        }
      } else if (!isStrings(result["supportedVersions"])) problems.push("supportedVersions is no array of strings");
      if (problems.length === 0) return pass("complete");
      // What is about another member can be looked at nevertheless.
      const isOther = problems.every((problem) => problem.startsWith("serverInfo"));
      return { ...fail(problems.join("; ")), ...(isOther && { preventsNothing: true }) };
    },
  },
  ...Object.fromEntries(legacyRevisions.map((revision) => [`lifecycle/negotiates-${revision}`, negotiates(revision)])),
  "lifecycle/unknown-revision": {
    title: "A revision that the server does not know is answered with one that it does",
    level: "MUST",
    rule: "If the server does not support the requested version, it responds with another one that it supports.",
    source: legacySpec(`${lifecycle}#version-negotiation`, "Lifecycle, version negotiation"),
    legal: [
      `a result whose protocolVersion is one of ${known.join(", ")}`,
      "error -32602 or -32022 that lists what is supported",
    ],
    fix: "Answer with your newest revision; never echo one that you do not know.",
    needs: ["lifecycle/second-client", newest],
    run: (target) =>
      judgeInitialize(target, "1999-01-01", (answer) =>
        answer.kind === "error" && (answer.code === -32602 || answer.code === -32022)
          ? pass(describeAnswer(answer))
          : judgeRevision(answer),
      ),
  },
  "lifecycle/request-before-handshake": {
    title: "A request before the handshake does no harm",
    level: "HOST",
    rule: "Hosts that speak 2026-07-28 send server/discover first, to find out which era a server belongs to.",
    source: modernSpec(
      "basic/versioning#backward-compatibility-with-initialization-based-versions",
      "Versioning, backward compatibility",
    ),
    legal: [
      "an error, silence or a result, as long as the server goes on and then answers initialize in the same session",
    ],
    fix: "Answer unknown methods with -32601 before the handshake, too; do not end the process, and do not wait for initialize in silence.",
    run: async (target) => {
      const session = await target.open();
      // What takes long to start is not deaf to the probe. The check has its own time, of which
      // initialize needs `startMs`.
      const timeoutMs = 1000 + Math.min(target.first?.tookMs ?? 0, 2 * target.answerMs);
      const probe = await session.request("server/discover", { _meta: {} }, { timeoutMs });
      if (probe.kind === "gone") return failWith(probe);
      const answer = await initialize(session, legacyRevisions[0], target);
      const { era } = await target.identity();
      const alive = answer.kind === "result" || (answer.kind === "error" && era === "modern");
      return alive ? pass(`probe: ${probe.kind}; then initialize: ${answer.kind}`) : failWith(answer);
    },
  },
  "lifecycle/stateless-era": {
    title: "server/discover answers with the revisions that the server supports",
    level: "MUST",
    rule: "Servers of 2026-07-28 implement server/discover.",
    source: modernSpec("server/discover", "Discovery"),
    revisions: [modernRevision],
    legal: [`supportedVersions that contain ${modernRevision}`],
    fix: "List every revision that you speak, the stateless one among them.",
    run: async (target) => {
      const session = await target.open();
      const attempt = await attemptHandshake(session, {
        ...target,
        revision: modernRevision,
        startMs: target.quickMs,
      });
      // No answer that a server of that era could give: it does not claim the era, and owes
      // nothing.
      if (!attempt.ok) {
        const { kind } = attempt.answer;
        const reason = kind === "silence" ? attempt.reason : `the server does not speak ${modernRevision}`;
        return { status: "not-applicable", reason };
      }
      const versions = attempt.handshake.result["supportedVersions"];
      if (isStrings(versions) && versions.includes(modernRevision)) return pass(versions.join(", "));
      return fail(`supportedVersions: ${excerpt(versions)}`);
    },
  },
});

// What answers so is usually another page of the same site.
function addressHint(answer: Answer): string {
  if (answer.kind !== "http" || (answer.status !== 404 && !answer.contentType?.includes("text/html"))) return "";
  return "; is this the URL of the MCP endpoint? Its path is often /mcp";
}

// Where there is no stream that can be used there is no handshake, either: the check of the stream
// is the one that says so.
async function streamProblem(session: RawSession, target: ServerTarget): Promise<Finding | undefined> {
  if (target.address.type !== "sse") return undefined;
  const { endpoint } = await (session as SseSession).stream(target.answerMs);
  const { origin } = target.address.url;
  const elsewhere = endpoint !== undefined && new URL(endpoint, target.address.url).origin !== origin;
  const cause = endpoint === undefined ? "sse/endpoint" : elsewhere ? "sse/endpoint-origin" : undefined;
  return cause === undefined ? undefined : preventedBy(cause);
}

/**
 * Judges the answer to initialize of a fresh session, also one that comes late: the server may have
 * been starting still. Silence is its fault where it answers the next request alone; else the
 * machine may be busy.
 */
async function judgeInitialize(
  target: ServerTarget,
  revision: string,
  judge: (answer: Answer) => Finding,
): Promise<Finding> {
  const session = await target.open();
  const answer = await initialize(session, revision, target);
  if (answer.kind !== "silence") return judge(answer);
  const next = await initialize(session, legacyRevisions[0], target);
  const [late] = session.lateAnswers;
  if (late !== undefined) return judge(late);
  const isAlive = next.kind === "result" || next.kind === "error";
  return isAlive
    ? fail(describeAnswer(answer), "Answer initialize for every revision: with the same one, or with your newest.")
    : notKnown(`initialize: ${describeAnswer(answer)}; try this check alone with --only`);
}

/** Passes a result with a revision that hosts know. */
function judgeRevision(answer: Answer): Finding {
  if (answer.kind !== "result" || !isJsonObject(answer.result)) return failWith(answer);
  const version = answer.result["protocolVersion"];
  if (typeof version === "string" && known.includes(version)) return pass(version);
  return fail(`answered with protocolVersion ${excerpt(version)}`);
}

function negotiates(revision: string): CheckInit {
  return {
    title: `A handshake that offers ${revision} ends in a revision that hosts know`,
    level: "MUST",
    rule: "If the server supports the requested version, it responds with the same version; else with another that it supports.",
    source: legacySpec(`${lifecycle}#version-negotiation`, "Lifecycle, version negotiation"),
    revisions: [revision],
    legal: [
      `protocolVersion ${revision}`,
      `protocolVersion of another revision: ${known.join(", ")}`,
      "error -32022 from a server that speaks only 2026-07-28",
    ],
    fix: "Answer with the offered revision if you support it, else with your newest one.",
    needs: ["lifecycle/second-client", revision === legacyRevisions[0] ? "lifecycle/initialize-result" : newest],
    run: async (target) => {
      const { first } = target;
      // The first contact offered the newest of them.
      const answered = first?.ready.handshake.result["protocolVersion"];
      if (answered === revision && revision === legacyRevisions[0]) return pass(revision);
      const { era } = await target.identity();
      return judgeInitialize(target, revision, (answer) =>
        era === "modern" && answer.kind !== "gone" ? pass(describeAnswer(answer)) : judgeRevision(answer),
      );
    },
  };
}

function isStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
