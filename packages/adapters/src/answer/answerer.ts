import type { Presented } from "@hostside/results";
import { declareDefinitions, type Declaration } from "../declare/declare-tools.ts";
import {
  adapterFields,
  assertAdapterOptions,
  assertToolSource,
  type AdapterOptions,
  type ToolSource,
} from "../declare/tool-source.ts";
import type { SchemaProfile } from "../schema/schema-profile.ts";
import { answerCall, findDeclared, type ModelCall } from "./answer-call.ts";
import { noteQuestion, requiresApproval, type CallToApprove } from "./approvals.ts";

/** The tools of one conversation at one model API, and the answers to its calls. */
export interface Answerer {
  /**
   * Returns the tools to declare with the next request. The same object as before while the source
   * offers the same definitions. `own` names tools that the product declares itself beside these:
   * they count among those of a request, and no tool of the source is declared by such a name.
   * Default none.
   */
  declare(own?: ReadonlySet<string>): Declaration;
  /**
   * Runs one call and presents what comes of it, by the declaration that the request had; default:
   * the latest. Whatever goes wrong is presented, too. Rejects with `aborted` when the signal of
   * the call aborts.
   */
  answer(call: ModelCall, declaration?: Declaration): Promise<Presented>;
  /**
   * Answers the calls of one response, all at once; the answers are in the order of the calls. The
   * failure of one touches no other. When a signal aborts, rejects with `aborted` after all of them
   * have ended.
   */
  answerAll(calls: readonly ModelCall[], declaration?: Declaration): Promise<readonly Presented[]>;
  /** The calls that a person has to approve, noted as asked about; answer them with `approved`. */
  toApprove(calls: readonly ModelCall[], declaration?: Declaration): Promise<readonly CallToApprove[]>;
}

/**
 * Makes what adapters share: declares what a source offers by the rules of one API, and answers
 * what the model calls. Holds no connection and needs no end. Throws a `TypeError` for a source or
 * options that it cannot use.
 *
 * @example
 * const answerer = createAnswerer(view, openai);
 * const { tools } = answerer.declare(); // with each request
 * const answers = await answerer.answerAll(calls); // what the model called
 */
export function createAnswerer(source: ToolSource, profile: SchemaProfile, options: AdapterOptions = {}): Answerer {
  assertToolSource(source);
  assertAdapterOptions("createAnswerer()", options, adapterFields);
  const means = { ...options, source };
  const { maxTools } = options;
  let latest: Declaration | undefined;
  let read: readonly object[] = [];
  let beside: ReadonlySet<string> = new Set();

  const declare = (own: ReadonlySet<string> = new Set()): Declaration => {
    const definitions = source.tools();
    if (latest !== undefined && isSame(definitions, read) && isSame([...own], [...beside])) return latest;
    latest = declareDefinitions(definitions, profile, { maxTools, own });
    read = definitions;
    beside = own;
    return latest;
  };
  const answer = async (call: ModelCall, declaration: Declaration = latest ?? declare()): Promise<Presented> =>
    (await answerCall((name) => findDeclared(declaration, name), call, means)).presented;
  return {
    declare,
    answer,
    answerAll: async (calls, declaration) => await runAll(calls, (call) => answer(call, declaration)),
    async toApprove(calls, declaration = latest ?? declare()) {
      const questions = await runAll(calls, async (call) => {
        const tool = declaration.find(call.name);
        return tool !== undefined && requiresApproval(source, tool) ? await noteQuestion(tool, call, means) : undefined;
      });
      return questions.filter((question) => question !== undefined);
    },
  };
}

function isSame(some: readonly unknown[], others: readonly unknown[]): boolean {
  return some === others || (some.length === others.length && some.every((one, at) => one === others[at]));
}

/** Runs all at once. Waits for the last one, also when one fails; the first failure is thrown. */
export async function runAll<Item, Result>(
  items: readonly Item[],
  run: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const settled = await Promise.allSettled(items.map(run));
  return settled.map((one) => {
    if (one.status === "rejected") throw one.reason;
    return one.value;
  });
}
