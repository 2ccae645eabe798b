import type { CallContext } from "@hostside/core";
import { assertKnownOptions, assertNames, kindOf, type Fields } from "@hostside/core/implement";
import type { Presented } from "@hostside/results";
import type { Declaration, LeftOutTool } from "../declare/declare-tools.ts";
import { adapterFields, type AdapterOptions, type ToolSource } from "../declare/tool-source.ts";
import type { SchemaProfile } from "../schema/schema-profile.ts";
import { answerCall, findDeclared, type AnsweredCall } from "./answer-call.ts";
import { createAnswerer, runAll } from "./answerer.ts";
import type { CallToApprove } from "./approvals.ts";

/** What every adapter of a model API, where the product sends the requests, can be given. */
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

/** The part of an API's adapter that is the same for all APIs. */
export interface ApiCalls<Call> {
  /** Declares the tools of the next request, by which the calls of its response are answered. */
  declare(): Declaration;
  /** Runs the calls of a response, all at once; the answers are in their order. */
  answer(calls: readonly ReadCall<Call>[], options: AnswerOptions): Promise<readonly AnsweredApiCall<Call>[]>;
  toApprove(calls: readonly ReadCall<Call>[], options: AnswerOptions): Promise<readonly CallToApprove[]>;
  leftOut(): readonly LeftOutTool[];
}

/** Reason why a call is not run at which the output of a model ended. */
export const cutOffReason = "the output ended within this call; it did not run";

/**
 * Declares and answers for an API whose requests the product sends. Throws a `TypeError` for a
 * source or options that it cannot use.
 */
export function createApiCalls<Call>(
  source: ToolSource,
  profile: SchemaProfile,
  { ownFunctions = [], ...shared }: ApiAdapterOptions,
): ApiCalls<Call> {
  assertNames("ownFunctions", ownFunctions);
  const own = new Set(ownFunctions);
  const answerer = createAnswerer(source, profile, shared);
  const means = { ...shared, source };
  // What the model was shown, and what its calls are held to, is what was declared last.
  let latest: Declaration | undefined;
  const declare = (): Declaration => (latest = answerer.declare(own));
  return {
    declare,
    async answer(calls, options) {
      assertAnswerOptions("answer()", options);
      const declaration = latest ?? declare();
      const theirs = calls.filter(({ name }) => !own.has(name));
      return await runAll(theirs, async ({ call, id, name, args, refusal }) => {
        const answered = refusal
          ? { presented: refused(refusal) }
          : await answerCall((asked) => findDeclared(declaration, asked), { ...options, id, name, args }, means);
        return { call, id, name, declaration, ...answered };
      });
    },
    async toApprove(calls, options) {
      assertAnswerOptions("toApprove()", options);
      const whole = calls.filter(({ name, refusal }) => !own.has(name) && !refusal);
      return await answerer.toApprove(whole.map(({ id, name, args }) => ({ ...options, id, name, args })));
    },
    leftOut: () => answerer.declare(own).leftOut,
  };
}

function refused(reason: string): Presented {
  return { blocks: [{ type: "text", part: "error", text: reason }], isError: true, omitted: [] };
}

/** What `answer()` of an adapter takes. */
export interface Answerable {
  /** In words: `"a message of the model"`. */
  readonly takes: string;
  /** At least one of these is there. */
  readonly members: readonly string[];
  /** Members that are lists. */
  readonly lists: readonly string[];
  /** Whether the lists may be absent. */
  readonly optional?: boolean;
}

/** Throws a `TypeError` for what is no response of a model, such as a promise of one. */
export function assertAnswerable(given: unknown, { takes, members, lists, optional = false }: Answerable): void {
  const named = `answer() takes ${takes}`;
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw new TypeError(`${named}, not ${kindOf(given)}`);
  }
  if (!members.some((member) => member in given)) throw new TypeError(`${named}; this has no ${members.join(", ")}`);
  for (const list of lists) {
    const value: unknown = Reflect.get(given, list);
    if (Array.isArray(value) || (optional && (value === undefined || value === null))) continue;
    throw new TypeError(`${named}; its ${list} must be a list, not ${kindOf(value)}`);
  }
}
