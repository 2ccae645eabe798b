import { truncateText, type JsonObject } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import type { Check, Finding, Requirement } from "../../engine/check.ts";
import { describeAnswer, excerpt } from "../handshake.ts";
import type { Answer, HttpResponse } from "../raw-session.ts";
import type { ListName } from "../raw-listing.ts";
import type { ReadySession } from "../ready-session.ts";
import type { ServerAddress } from "../server-address.ts";
import type { ServerTarget } from "../server-target.ts";

/** A check of a server. */
export interface ServerCheck extends Check<ServerTarget> {
  /** The one transport that it is about; absent: all. It does not apply to servers over another. */
  readonly over?: ServerAddress["type"];
  /**
   * It sends what a careless server may end of: the first to be suspected when one at a URL goes
   * away.
   */
  readonly rough?: boolean;
}

/** A check as it is written down. */
export interface CheckInit extends Omit<ServerCheck, "id" | "requirement"> {
  /** The rule that it stands on, in one sentence. */
  readonly rule: string;
  /** Where the rule is written. */
  readonly source: Pick<Requirement, "section" | "url">;
  /** Protocol revisions that the rule applies to. Default: all. */
  readonly revisions?: readonly string[];
}

/**
 * Checks by their ids, about servers over one transport or any. They need what is in `needs` unless
 * they say otherwise.
 */
export function defineChecks(
  over: ServerAddress["type"] | "any",
  needs: readonly string[],
  checks: Readonly<Record<string, CheckInit>>,
): readonly ServerCheck[] {
  return Object.entries(checks).map(([id, { rule: sentence, source, revisions, ...check }]) => ({
    id,
    requirement: { sentence, ...source, ...(revisions && { revisions }) },
    ...(over !== "any" && { over }),
    needs,
    ...check,
  }));
}

/** A section of the newest legacy revision of the specification. */
export function legacySpec(page: string, section: string): Pick<Requirement, "section" | "url"> {
  return { section, url: `https://modelcontextprotocol.io/specification/2025-11-25/${page}` };
}

/** A section of the 2026-07-28 specification. */
export function modernSpec(page: string, section: string): Pick<Requirement, "section" | "url"> {
  return { section, url: `https://modelcontextprotocol.io/specification/2026-07-28/${page}` };
}

/** A paragraph of this kit's page of host advice, which says what hosts do and why. */
export function hostAdvice(anchor: string): Pick<Requirement, "section" | "url"> {
  return {
    section: `host advice: ${anchor}`,
    url: `https://github.com/hostside/hostside/blob/main/docs/internals/host-advice.md#${anchor}`,
  };
}

/** Where JSON-RPC says what errors are. */
export const jsonRpcErrors: Pick<Requirement, "section" | "url"> = {
  section: "JSON-RPC 2.0, section 5.1",
  url: "https://www.jsonrpc.org/specification#error_object",
};

/** A finding that no verdict is owed. */
export function notApplicable(reason: string): Finding {
  return { status: "not-applicable", reason };
}

/** A finding that nothing can be said. */
export function notKnown(reason: string): Finding {
  return { status: "could-not-run", reason };
}

/** A finding that could not be made because another check failed. */
export function preventedBy(cause: string): Finding {
  return { status: "could-not-run", reason: `needs ${cause}, which did not pass`, cause };
}

/** A finding that passed, with what was seen. */
export function pass(observed: string): Finding {
  return { status: "pass", observed };
}

/**
 * A failure with what was seen, and what to do about it where the check's own fix is about another
 * cause. The sessions of the check are its trace.
 */
export function fail(observed: string, fix?: string): Finding {
  return { status: "fail", observed, ...(fix !== undefined && { fix }) };
}

/** A failure because of an answer. Where nothing was answered, the fix is about that. */
export function failWith(answer: Answer): Finding {
  return fail(describeAnswer(answer), fixesOfNoAnswer[answer.kind]);
}

const fixesOfNoAnswer: Partial<Record<Answer["kind"], string>> = {
  gone: "Find out why the process or the connection ended: the end of stderr and the trace usually say so. Catch what a handler throws, and answer with an error.",
  http: "Answer with a JSON-RPC message: this response comes from the web framework, or from something in front of the server.",
};

/** A pass where the response is legal, else a failure. */
export function judgeResponse(response: HttpResponse, legal: boolean): Finding {
  return legal ? pass(String(response.status)) : fail(describeResponse(response));
}

/** The status of a response and the beginning of its body, for a report. */
export function describeResponse({ status, body }: HttpResponse): string {
  return `${status}: ${truncateText(body.trim(), 120) || "empty body"}`;
}

/** Whether a status says that the request was taken. */
export function isSuccess({ status }: HttpResponse): boolean {
  return status >= 200 && status <= 299;
}

/** Whether a status says that the request was wrong. */
export function isRefused({ status }: HttpResponse): boolean {
  return status >= 400 && status < 500;
}

/** A check that judges the entries of a list alone. */
export interface ItemJudgement extends Omit<CheckInit, "run"> {
  /** What is wrong with all of them, one text per entry; `[]` when nothing is. Pure. */
  readonly judge?: (items: readonly JsonObject[]) => readonly string[];
  /** What is wrong with one of them, in words that follow its name; falsy when nothing is. Pure. */
  readonly problem?: (item: JsonObject) => string | false | undefined;
}

/** Makes a check of a judgement about the listed tools. It does not apply to a server without. */
export function aboutTools(judgement: ItemJudgement): CheckInit {
  return aboutItems("tools", judgement);
}

/** The same about another list. */
export function aboutItems(name: ListName, { judge, problem = () => undefined, ...info }: ItemJudgement): CheckInit {
  const judgeEach = (items: readonly JsonObject[]): readonly string[] =>
    items.flatMap((item) => {
      const found = problem(item);
      return found ? [`${excerpt(item["name"] ?? item["uri"] ?? item["uriTemplate"])}: ${found}`] : [];
    });
  return {
    ...info,
    run: async (target) => {
      const { items } = await target.listing(name);
      return items.length === 0
        ? notApplicable(`the server lists no ${wordsOf(name)}`)
        : conclude((judge ?? judgeEach)(items), `${items.length} ${wordsOf(name)}`);
    },
  };
}

/** The name of a list, as people say it. */
export function wordsOf(name: ListName): string {
  return name === "resourceTemplates" ? "resource templates" : name;
}

// Enough to see the pattern; the JSON report's trace has the rest.
const mostShown = 5;

/** A pass with what was seen, unless there are problems. */
export function conclude(problems: readonly string[], observed: string): Finding {
  if (problems.length === 0) return pass(observed);
  const more = problems.length > mostShown ? ` … and ${problems.length - mostShown} more` : "";
  return fail(`${problems.slice(0, mostShown).join("; ")}${more}`);
}

/** What comes again of what `key` gives of the entries of a list, as problems. */
export function repeatedKeys(items: readonly JsonObject[], key: string): readonly string[] {
  const seen = new Set<unknown>();
  return items.flatMap(({ [key]: value }) => {
    if (typeof value !== "string") return [];
    if (seen.has(value)) return [`${JSON.stringify(value)} is there twice`];
    seen.add(value);
    return [];
  });
}

/** Whether an answer says no: an error, or the result of a tool that failed. */
export function isRefusal(answer: Answer): boolean {
  return (
    answer.kind === "error" ||
    (answer.kind === "result" && isJsonObject(answer.result) && answer.result["isError"] === true)
  );
}

/** Runs a judgement on a session of its own, where the server declares a capability. */
export function declared(capability: string, judge: (ready: ReadySession) => Promise<Finding>): CheckInit["run"] {
  return (target) =>
    target.lend(async (ready) =>
      isJsonObject(ready.handshake.capabilities[capability])
        ? judge(ready)
        : notApplicable(`the server declares no ${capability}`),
    );
}

/** Judges the answer to a request that is to be refused with one of some codes. */
export function judgeRefusal(answer: Answer, codes: readonly number[]): Finding {
  if (answer.kind === "silence" && answer.instead === undefined) return notKnown(describeAnswer(answer));
  if (answer.kind === "error" && codes.some((code) => code === answer.code)) return pass(describeAnswer(answer));
  return answer.kind === "result" || answer.kind === "error" ? fail(describeAnswer(answer)) : failWith(answer);
}
