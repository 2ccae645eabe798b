import { isJsonObject, type JsonValue } from "@toolport/core";
import { describeAnswer } from "../handshake.ts";
import type { Answer } from "../raw-session.ts";
import { fail, failWith, legacySpec, pass, type ServerCheck } from "./define-check.ts";

const messages = legacySpec("basic#messages", "Base protocol, messages");
const jsonRpc = { section: "JSON-RPC 2.0, section 5.1", url: "https://www.jsonrpc.org/specification#error_object" };
const needs = ["lifecycle/initialize"];

/** How a server treats requests and notifications in general. */
export const requestChecks: readonly ServerCheck[] = [
  {
    id: "requests/probe",
    title: "The era's own probe is answered",
    level: "MUST",
    requirement: {
      sentence:
        "A receiver answers ping promptly with an empty result; from 2026-07-28 on server/discover takes its place.",
      ...legacySpec("basic/utilities/ping", "Ping"),
    },
    legal: ["a result"],
    fix: "Answer ping with {} at any time, also while a tool runs.",
    needs,
    run: async (target) => {
      const { session, probe } = await target.shared();
      const answer = await probe();
      return answer.kind === "result" ? pass("answered") : failWith(answer, session, target);
    },
  },
  {
    id: "requests/unknown-method",
    title: "An unknown method is refused with -32601",
    level: "MUST",
    requirement: { sentence: "A method that does not exist is answered with error -32601.", ...jsonRpc },
    legal: ["error -32601"],
    fix: "Answer every request that you do not know with -32601 and its id; never stay silent, never end the process.",
    needs,
    run: async (target) => {
      const { session, request } = await target.shared();
      const answer = await request("toolport/no-such-method");
      return answer.kind === "error" && answer.code === -32601
        ? pass("error -32601")
        : failWith(answer, session, target);
    },
  },
  {
    id: "requests/invalid-params",
    title: "Parameters of the wrong type are refused",
    level: "MUST",
    requirement: { sentence: "Invalid parameters are answered with an error, -32602 for choice.", ...jsonRpc },
    legal: ["error -32602", "another JSON-RPC error", "for tools/call: a result with isError"],
    fix: "Validate parameters before you use them, and answer -32602 with what is wrong.",
    needs,
    run: async (target) => {
      const { session, request, handshake } = await target.shared();
      if (!isJsonObject(handshake.capabilities["tools"]))
        return { status: "not-applicable", reason: "the server declares no tools" };
      const answer = await request("tools/call", { name: 42, arguments: "none" });
      const refused =
        answer.kind === "error" ||
        (answer.kind === "result" && isJsonObject(answer.result) && answer.result["isError"] === true);
      return refused ? pass(describeAnswer(answer)) : failWith(answer, session, target);
    },
  },
  {
    id: "requests/notification-unanswered",
    title: "A notification is never answered",
    level: "MUST",
    requirement: { sentence: "The receiver of a notification must not send a response.", ...messages },
    legal: ["no message at all, for a known and an unknown notification"],
    fix: "Answer only what has an id; drop unknown notifications in silence.",
    needs,
    run: async (target) => {
      const { session, probe } = await target.openReady();
      const before = session.unsolicited.length;
      await session.notify("notifications/toolport-unknown", { reason: "no answer expected" });
      await session.notify("notifications/cancelled", { requestId: 987_654, reason: "no such request" });
      // Whatever a server would wrongly answer comes before the answer to a later request.
      const answer = await probe();
      const answers = session.unsolicited.slice(before).filter((message) => message["method"] === undefined);
      if (answers.length > 0) return fail(`answered: ${JSON.stringify(answers[0])}`, session, target);
      return answer.kind === "result"
        ? pass("no answer")
        : fail(`afterwards: ${describeAnswer(answer)}`, session, target);
    },
  },
  {
    id: "requests/ids",
    title: "Every id comes back as it was sent",
    level: "MUST",
    requirement: {
      sentence: "A response carries the id of its request, a string or an integer, with the same value and type.",
      ...messages,
    },
    legal: ['the same id for 0, a large integer, a negative one, "", "7" and a string with any characters'],
    fix: "Keep the id as the JSON value it was; do not convert it, and do not treat 0 or an empty string as missing.",
    needs,
    run: async (target) => {
      const { session, probe } = await target.openReady();
      const ids: readonly JsonValue[] = [0, 2_147_483_648, -3, "", "7", 'é😀"\\\u2028'];
      const answers = await Promise.all(ids.map((id) => probe({ id })));
      const wrong = ids.find((_, index) => answers[index]?.kind !== "result");
      return wrong === undefined
        ? pass(`${ids.length} ids came back`)
        : fail(`no answer with id ${JSON.stringify(wrong)}`, session, target);
    },
  },
  {
    id: "requests/concurrency",
    title: "Fifty requests at once get fifty answers, each its own",
    level: "MUST",
    requirement: {
      sentence: "Requests may be in flight at the same time; each is answered once, with its own id.",
      ...messages,
    },
    legal: ["one answer for each of 50 requests, and no answer to anything else"],
    fix: "Do not keep the current request in a variable that the next one overwrites.",
    needs,
    run: async (target) => {
      const { session, probe, request } = await target.openReady();
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, n): Promise<Answer> =>
          n % 2 === 0 ? probe() : request("toolport/no-such-method"),
        ),
      );
      const wrong = answers.filter((answer, n) => answer.kind !== (n % 2 === 0 ? "result" : "error"));
      const stray = session.unsolicited.filter((message) => message["method"] === undefined);
      if (wrong[0] !== undefined)
        return fail(`${wrong.length} of 50 went wrong; the first: ${describeAnswer(wrong[0])}`, session, target);
      return stray.length === 0
        ? pass("50 answers")
        : fail(`an answer to nothing: ${JSON.stringify(stray[0])}`, session, target);
    },
  },
  {
    id: "requests/large-message",
    title: "A request of a mebibyte is answered",
    level: "HOST",
    requirement: {
      sentence: "Hosts pass file contents and documents as arguments; a server should take a mebibyte.",
      section: "host advice",
      url: "https://modelcontextprotocol.io/specification/2025-11-25/basic",
    },
    legal: ["an answer, whatever it says, and a server that goes on"],
    fix: "Raise the limit of your JSON body parser or line reader, or answer with an error instead of ending the session.",
    needs,
    run: async (target) => {
      const { session, request, probe } = await target.openReady();
      const answer = await request("toolport/no-such-method", { text: "x".repeat(1024 * 1024) });
      const after = await probe();
      const alive = after.kind === "result" && answer.kind !== "silence" && answer.kind !== "gone";
      return alive
        ? pass(describeAnswer(answer))
        : fail(`${describeAnswer(answer)}; then ${describeAnswer(after)}`, session, target);
    },
  },
  {
    id: "requests/odd-text",
    title: "Text of every kind survives the way",
    level: "MUST",
    requirement: { sentence: "Messages are UTF-8 encoded JSON.", ...legacySpec("basic/transports", "Transports") },
    legal: ["an answer to a request with escaped and raw non-ASCII text, line separators and a NUL escape"],
    fix: "Read and write UTF-8; let a JSON library do the escaping.",
    needs,
    run: async (target) => {
      const { session, request } = await target.openReady();
      const answer = await request("toolport/no-such-method", {
        text: 'é 😀 \u2028 \u0000 \uFEFF \\ " </script>',
        ["__proto__ "]: { polluted: true },
      });
      return answer.kind === "error" ? pass("answered") : failWith(answer, session, target);
    },
  },
];
