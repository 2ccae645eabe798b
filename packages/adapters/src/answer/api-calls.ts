import type { CallContext } from "@hostside/core";
import { assertKnownOptions, assertNames, isJsonObject, kindOf, type Fields } from "@hostside/core/implement";
import type { Presented } from "@hostside/results";
import type { Declaration, DeclaredTool, LeftOutTool } from "../declare/declare-tools.ts";
import { adapterFields, type AdapterOptions, type ToolSource } from "../declare/tool-source.ts";
import type { SchemaProfile } from "../schema/schema-profile.ts";
import { answerCall, findDeclared, type AnsweredCall } from "./answer-call.ts";
import { createAnswerer, runAll } from "./answerer.ts";
import type { CallToApprove } from "./approvals.ts";

/** Options of every adapter of a model API where the product sends the requests. */
export interface ApiAdapterOptions extends AdapterOptions {
  /**
   * Names of functions that the product declares and answers itself: calls of them are left to it,
   * no tool of the source is declared by such a name, and they count among the tools of a request.
   * Default none: a call of a name that nobody knows is answered, because an API refuses a
   * conversation with a call that has no answer. Static tools of a toolbox need not be here; they
   * are answered like all others.
   */
  readonly ownFunctions?: readonly string[] | undefined;
}

/** The fields of {@linkcode ApiAdapterOptions}. */
export const apiAdapterFields: Fields<ApiAdapterOptions> = { ...adapterFields, ownFunctions: true };

/** How the calls of one response are answered. */
export interface AnswerOptions {
  /** Aborts the calls that are under way; their servers are told. */
  readonly signal?: AbortSignal | undefined;
  /** On whose behalf; goes before the adapter's own, member by member. For the host alone. */
  readonly context?: CallContext | undefined;
  /**
   * Ids of the calls that a person approved, of those that `toApprove()` gave. The others of those
   * are refused. Default: nobody was asked, and the policy refuses calls that need an approval.
   */
  readonly approved?: readonly string[] | undefined;
}

const answerFields: Fields<AnswerOptions> = { signal: true, context: true, approved: true };

/**
 * Throws a `TypeError` that names the option that is unknown; the values are checked with the call.
 */
export function assertAnswerOptions(owner: string, options: AnswerOptions): void {
  assertKnownOptions(owner, options, answerFields);
  const approved: unknown = options.approved;
  if (approved === undefined) return;
  if (Array.isArray(approved) && approved.every((id) => typeof id === "string")) return;
  throw new TypeError(`approved of ${owner} must be a list of the ids of calls`);
}

/** One call of a response, as its API has it. */
export interface ReadCall<Call> {
  readonly call: Call;
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
  /** Why the call is not run, in words for the model. */
  readonly refusal?: string | false | undefined;
}

/** A call and what came of it. */
export interface AnsweredApiCall<Call> extends AnsweredCall {
  readonly call: Call;
  readonly id: string;
  readonly name: string;
  /** By which the call was answered. */
  readonly declaration: Declaration;
}

/** The tools of one conversation at an API whose requests the product sends. */
export interface ApiTools<Tool, Response, Answer> {
  /**
   * Returns `tools` for the next request: what the source offers now, in its order, so
   * that what the model searched and selected is there.
   */
  tools(): Tool[];
  /**
   * Runs the calls of a response, all at once, and gives what to send after that, in the order of
   * the calls. Whatever goes wrong with a call is its answer. A call at which the output was cut
   * off is not run. Rejects with `aborted` when the signal aborts, after all calls have ended.
   * Answering one response twice runs its calls twice.
   */
  answer(response: Response, options?: AnswerOptions): Promise<Answer>;
  /**
   * The calls to approve; their ids are for `approved` of `answer()`. None where the policy has a
   * handler.
   */
  toApprove(response: Response, options?: AnswerOptions): Promise<readonly CallToApprove[]>;
  /** Tools that are not declared now, and why. */
  leftOut(): readonly LeftOutTool[];
}

/** The parts that differ between APIs. */
export interface ApiPlan<Call, Tool, Response, Answer> {
  readonly profile: SchemaProfile;
  /**
   * Reads the calls of a response for a function, such as `"answer()"`. Throws a `TypeError` for
   * what is none.
   */
  readonly read: (response: Response, owner: string) => readonly ReadCall<Call>[];
  readonly toTools: (declared: readonly DeclaredTool[]) => Tool[];
  readonly toAnswer: (answers: readonly AnsweredApiCall<Call>[]) => Answer;
}

/** Reason why a call is not run at which the output of a model ended. */
export const cutOffReason = "the output ended within this call; it did not run";

/**
 * Declares and answers for an API whose requests the product sends. Throws a `TypeError` for a
 * source or options that it cannot use.
 */
export function createApiTools<Call, Tool, Response, Answer>(
  source: ToolSource,
  { ownFunctions = [], ...shared }: ApiAdapterOptions,
  { profile, read, toTools, toAnswer }: ApiPlan<Call, Tool, Response, Answer>,
): ApiTools<Tool, Response, Answer> {
  assertNames("ownFunctions", ownFunctions);
  const own = new Set(ownFunctions);
  const answerer = createAnswerer(source, profile, shared);
  const means = { ...shared, source };
  // What the model was shown, and what its calls are held to, is what was declared last.
  let latest: Declaration | undefined;
  const declare = (): Declaration => (latest = answerer.declare(own));
  return {
    tools: () => toTools(declare().tools),
    async answer(response, options = {}) {
      const calls = read(response, "answer()").filter(({ name }) => !own.has(name));
      assertAnswerOptions("answer()", options);
      const declaration = latest ?? declare();
      const answers = await runAll(calls, async ({ call, id, name, args, refusal }) => {
        const answered = refusal
          ? { presented: refused(refusal) }
          : await answerCall((asked) => findDeclared(declaration, asked), { ...options, id, name, args }, means);
        return { call, id, name, declaration, ...answered };
      });
      return toAnswer(answers);
    },
    async toApprove(response, options = {}) {
      const calls = read(response, "toApprove()").filter(({ name, refusal }) => !own.has(name) && !refusal);
      assertAnswerOptions("toApprove()", options);
      return await answerer.toApprove(calls.map(({ id, name, args }) => ({ ...options, id, name, args })));
    },
    leftOut: () => answerer.declare(own).leftOut,
  };
}

function refused(reason: string): Presented {
  return { blocks: [{ type: "text", part: "error", text: reason }], isError: true, omitted: [] };
}

/**
 * Throws a `TypeError` for what is no response of a model, such as a promise of one: it has none of
 * these members. `takes` says in words what a function takes, such as `"answer() takes a message"`.
 */
export function assertAnswerable(given: unknown, takes: string, members: readonly string[]): void {
  if (!isJsonObject(given)) throw new TypeError(`${takes}, not ${kindOf(given)}`);
  if (!members.some((member) => member in given)) throw new TypeError(`${takes}; this has no ${members.join(", ")}`);
}
