import type { JsonObject, JsonValue } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import { describeAnswer, excerpt } from "../handshake.ts";
import type { Answer, RawMessage } from "../raw-session.ts";
import { eraProbe, type ReadySession } from "../ready-session.ts";
import type { Finding } from "../../engine/check.ts";
import type { ServerTarget } from "../server-target.ts";
import {
  fail,
  failWith,
  pass,
  notApplicable,
  notKnown,
  preventedBy,
  defineChecks,
  legacySpec,
  hostAdvice,
  jsonRpcErrors,
  type ServerCheck,
  isRefusal,
} from "./define-check.ts";

const needs = ["lifecycle/second-client"];
const refusing = ["requests/probe", "requests/unknown-method"];

/** How a server treats requests and notifications in general. */
export const requestChecks: readonly ServerCheck[] = defineChecks("any", ["requests/probe"], {
  "requests/probe": {
    title: "The era's own probe is answered",
    level: "MUST",
    rule: "A receiver answers ping promptly with an empty result; from 2026-07-28 on server/discover takes its place.",
    source: legacySpec("basic/utilities/ping#behavior-requirements", "Ping, behavior requirements"),
    legal: ["a result"],
    fix: "Answer ping with {} at any time, also while a tool runs.",
    needs,
    run: (target) =>
      target.lend(async (ready) => {
        const answer = await ready.request(eraProbe(ready.handshake));
        if (answer.kind === "result") return pass("answered");
        const failure = failWith(answer);
        if (answer.kind !== "error") return failure;
        const method = await findSubstitute(ready);
        if (method === undefined) return failure;
        target.substitute.method = method;
        return {
          ...fail(`${describeAnswer(answer)}; the other checks ask for ${method} in its place`),
          preventsNothing: true,
        };
      }),
  },
  "requests/response-shape": {
    title: "A response has either a result or an error, in the right form",
    level: "MUST",
    rule: "A response has a result, which is an object, or an error with an integer code and a message; never both.",
    source: legacySpec("basic#responses", "Base protocol, responses"),
    legal: [
      "result: an object, and no error",
      "error: an object with an integer code and a text message, and no result",
    ],
    fix: "Leave the other member out, also when it would be null; give error codes as numbers.",
    needs,
    run: (target) =>
      target.lend(async ({ probe, request }) => {
        const answers = [await probe(), await request("hostside/no-such-method")];
        const problems = answers.flatMap((answer) => ("message" in answer ? shapeProblems(answer.message) : []));
        return problems.length === 0 ? pass("well formed") : fail(problems.join("; "));
      }),
  },
  "requests/respects-capabilities": {
    title: "The server asks for nothing that the host did not offer",
    level: "MUST",
    rule: "Both parties use only capabilities that were negotiated; the kit offers none.",
    source: legacySpec("basic/lifecycle#operation", "Lifecycle, operation"),
    legal: ["no request but ping from the server to a host without capabilities"],
    fix: "Look at the capabilities of initialize before you send roots/list, sampling/createMessage or elicitation/create.",
    when: "end",
    run: (target) =>
      judgeMessages(
        target,
        "no request",
        ({ id, method }) => id !== undefined && method !== undefined && method !== "ping",
      ),
  },
  "requests/notifications-declared": {
    title: "Notifications are those of capabilities that the server declares",
    level: "MUST",
    rule: "Both parties use only capabilities that were negotiated; a server that sends log messages declares logging.",
    source: legacySpec("basic/lifecycle#operation", "Lifecycle, operation"),
    legal: [
      "notifications/message from a server with the capability logging",
      "a list_changed notification from a server with listChanged in the capability of the list",
      "notifications/resources/updated from a server with resources.subscribe",
      "before 2025-06-18 any but notifications/message",
    ],
    fix: "Declare the capability, such as { tools: { listChanged: true } } or { logging: {} }, or send no such notification.",
    when: "end",
    run: async (target) => {
      const { capabilities, protocolVersion } = await target.identity();
      return judgeMessages(target, "none without its capability", ({ method }) => {
        const path = typeof method === "string" && Object.hasOwn(declaredBy, method) ? declaredBy[method] : undefined;
        const isOwed = path === "logging" || protocolVersion >= "2025-06-18";
        return path !== undefined && isOwed && !isDeclared(capabilities, path);
      });
    },
  },
  "requests/unknown-method": {
    rough: true,
    title: "An unknown method is refused with -32601",
    level: "MUST",
    rule: "A method that does not exist is answered with error -32601.",
    source: jsonRpcErrors,
    legal: ["error -32601"],
    fix: "Answer every request that you do not know with -32601 and its id; never stay silent, never end the process.",
    needs,
    run: (target) =>
      target.lend(async ({ request }) => {
        const answer = await request("hostside/no-such-method");
        if (answer.kind !== "error") return failWith(answer);
        if (answer.code === -32601) return pass("error -32601");
        // That its code is no number is told there.
        if (!Number.isInteger(answer.code)) return preventedBy("requests/response-shape");
        // What needs a request that is refused does not ask for the code.
        return { ...fail(describeAnswer(answer)), preventsNothing: true };
      }),
  },
  "requests/invalid-params": {
    rough: true,
    title: "Parameters of the wrong type are refused",
    level: "MUST",
    rule: "Invalid parameters are answered with an error, -32602 for choice.",
    source: jsonRpcErrors,
    legal: ["error -32602", "another JSON-RPC error", "for tools/call: a result with isError"],
    fix: "Validate parameters before you use them, and answer -32602 with what is wrong.",
    needs,
    run: (target) =>
      target.lend(async ({ request, handshake }) => {
        if (!isJsonObject(handshake.capabilities["tools"])) return notApplicable("the server declares no tools");
        const answer = await request("tools/call", { name: 42, arguments: "none" });
        return isRefusal(answer) ? pass(describeAnswer(answer)) : failWith(answer);
      }),
  },
  "requests/notification-unanswered": {
    title: "A notification is never answered",
    level: "MUST",
    rule: "The receiver of a notification must not send a response.",
    source: legacySpec("basic#notifications", "Base protocol, notifications"),
    legal: ["no message at all, for a known and an unknown notification"],
    fix: "Answer only what has an id; drop unknown notifications in silence.",
    run: (target) =>
      target.lend(async ({ session, probe }) => {
        const before = session.unsolicited.length;
        await session.notify("notifications/hostside-unknown", { reason: "no answer expected" });
        await session.notify("notifications/cancelled", { requestId: 987_654, reason: "no such request" });
        // Whatever a server would wrongly answer comes before the answer to a later request.
        const answer = await probe();
        const answers = session.unsolicited.slice(before).filter((message) => message["method"] === undefined);
        if (answers.length > 0) return fail(`answered: ${excerpt(answers[0])}`);
        // A server that is slow has said nothing about notifications.
        if (answer.kind === "silence") return notKnown(`the request that came after it: ${describeAnswer(answer)}`);
        return answer.kind === "result" ? pass("no answer") : fail(`afterwards: ${describeAnswer(answer)}`);
      }),
  },
  "requests/ids": {
    rough: true,
    title: "Every id comes back as it was sent",
    level: "MUST",
    rule: "A response carries the id of its request, a string or an integer, with the same value and type.",
    source: legacySpec("basic#responses", "Base protocol, responses"),
    legal: ['the same id for 0, a large integer, a negative one, "", "7" and a string with any characters'],
    fix: "Keep the id as the JSON value it was; do not convert it, and do not treat 0 or an empty string as missing.",
    run: (target) =>
      target.lend(async ({ probe }) => {
        const ids: readonly JsonValue[] = [0, 2_147_483_648, -3, "", "7", 'é😀"\\'];
        // One after another: whether they may come at once is asked by another check.
        for (const id of ids) {
          const answer = await probe({ id });
          if (answer.kind !== "result") return fail(`to id ${JSON.stringify(id)}: ${describeAnswer(answer)}`);
        }
        return pass(`${ids.length} ids came back`);
      }),
  },
  "requests/concurrency": {
    title: "Fifty requests at once get fifty answers, each its own",
    level: "MUST",
    rule: "Requests may be in flight at the same time; each is answered once, with its own id.",
    source: legacySpec("basic#responses", "Base protocol, responses"),
    legal: ["one answer for each of 50 requests, and no answer to anything else"],
    fix: "Do not keep the current request in a variable that the next one overwrites.",
    needs: refusing,
    run: (target) =>
      target.lend(async ({ session, probe, request }) => {
        const before = session.unsolicited.length;
        // About order, not about speed: a busy machine takes its time over fifty.
        const patient = { timeoutMs: patientMs(target) };
        const answers = await Promise.all(
          Array.from({ length: 50 }, (_, n): Promise<Answer> =>
            n % 2 === 0 ? probe(patient) : request("hostside/no-such-method", {}, patient),
          ),
        );
        const wrong = answers.filter((answer, n) => answer.kind !== (n % 2 === 0 ? "result" : "error"));
        const stray = session.unsolicited.slice(before).filter((message) => message["method"] === undefined);
        if (wrong[0] !== undefined)
          return fail(`${wrong.length} of 50 went wrong; the first: ${describeAnswer(wrong[0])}`);
        return stray.length === 0 ? pass("50 answers") : fail(`an answer to nothing: ${excerpt(stray[0])}`);
      }),
  },
  "requests/batch": {
    rough: true,
    title: "A batch does not end the session",
    level: "HOST",
    rule: "Revision 2025-03-26 had batches; a server that does not take them refuses them, and goes on.",
    source: hostAdvice("careless-clients"),
    legal: ["answers, an error or silence to the batch, and a later request that is answered"],
    fix: "Answer an array with error -32600, or with the answers to its requests.",
    run: async (target) => {
      const { session, probe } = await target.openReady();
      await session.send([{ jsonrpc: "2.0", id: "in-batch", method: "ping" }]);
      const answer = await probe();
      return answer.kind === "result" ? pass("the session goes on") : fail(`afterwards: ${describeAnswer(answer)}`);
    },
  },
  "requests/large-message": {
    rough: true,
    title: "A request of a mebibyte is answered",
    level: "HOST",
    rule: "Hosts pass file contents and documents as arguments; a server should take a mebibyte.",
    source: hostAdvice("large-messages"),
    legal: ["an answer, whatever it says, and a server that goes on"],
    fix: "Raise the limit of your JSON body parser or line reader, or answer with an error instead of ending the session.",
    needs: refusing,
    run: (target) =>
      target.lend(async ({ request, probe }) => {
        const patient = { timeoutMs: patientMs(target) };
        const answer = await request("hostside/no-such-method", { text: "x".repeat(1024 * 1024) }, patient);
        const after = await probe(patient);
        const alive = after.kind === "result" && answer.kind !== "silence" && answer.kind !== "gone";
        return alive ? pass(describeAnswer(answer)) : fail(`${describeAnswer(answer)}; then ${describeAnswer(after)}`);
      }),
  },
  "requests/odd-text": {
    rough: true,
    title: "Text of every kind survives the way",
    level: "MUST",
    rule: "Messages are UTF-8 encoded JSON.",
    source: legacySpec("basic/transports", "Transports"),
    legal: ["an answer to a request with escaped and raw non-ASCII text, line separators and a NUL escape"],
    fix: "Read and write UTF-8; let a JSON library do the escaping; end a line at LF alone: the readline of Node ends one at U+2028, too.",
    needs: refusing,
    run: (target) =>
      target.lend(async ({ request }) => {
        const answer = await request("hostside/no-such-method", {
          text: 'é 😀 \u2028 \u0000 \uFEFF \\ " </script>',
          ["__proto__ "]: { polluted: true },
        });
        return answer.kind === "error" ? pass("answered") : failWith(answer);
      }),
  },
});

/** The capability that each notification needs. */
const declaredBy: Readonly<Record<string, string>> = {
  "notifications/message": "logging",
  "notifications/tools/list_changed": "tools.listChanged",
  "notifications/prompts/list_changed": "prompts.listChanged",
  "notifications/resources/list_changed": "resources.listChanged",
  "notifications/resources/updated": "resources.subscribe",
};

function isDeclared(capabilities: JsonObject, path: string): boolean {
  const [feature = "", member] = path.split(".");
  const declared = capabilities[feature];
  return isJsonObject(declared) && (member === undefined || declared[member] === true);
}

/** Fails for the first message of the server, over all sessions, that answers nothing and is wrong. */
export async function judgeMessages(
  target: ServerTarget,
  good: string,
  isWrong: (message: RawMessage) => boolean,
): Promise<Finding> {
  const found = await target.judgeSessions(({ unsolicited }) => {
    const wrong = unsolicited.find(isWrong);
    return wrong && excerpt(wrong);
  });
  const more = found.length > 1 ? `, and such messages in ${found.length - 1} more sessions` : "";
  return found[0] === undefined ? pass(good) : fail(`${found[0]}${more}`);
}

/** A method that a server without an answer to its era's own probe does answer. */
async function findSubstitute({ handshake: { capabilities }, request }: ReadySession): Promise<string | undefined> {
  for (const feature of ["tools", "resources", "prompts"]) {
    if (!isJsonObject(capabilities[feature])) continue;
    const answer = await request(`${feature}/list`);
    if (answer.kind === "result") return `${feature}/list`;
  }
  return undefined;
}

/** For what takes more than an answer. */
function patientMs({ answerMs, quickMs }: ServerTarget): number {
  return Math.max(answerMs, 3 * quickMs);
}

function shapeProblems(message: RawMessage): readonly string[] {
  const { error, result } = message;
  if (error !== undefined && result !== undefined) return [`both a result and an error: ${excerpt(message)}`];
  if (error === undefined) return isJsonObject(result) ? [] : [`result is no object: ${excerpt(message)}`];
  const wellFormed = isJsonObject(error) && Number.isInteger(error["code"]) && typeof error["message"] === "string";
  return wellFormed ? [] : [`a malformed error: ${excerpt(message)}`];
}
