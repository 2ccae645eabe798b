import type { CallContext, Cancel } from "@hostside/core";
import { fairnessKeyOf, sameJson } from "@hostside/core/implement";
import type { QuestionTally } from "./elicitor.ts";

/** A request under way, as far as questions of its server go. */
export interface ElicitingRequest {
  readonly request: { readonly method: string; readonly callContext?: CallContext | undefined };
  /** There once something was asked during the request. */
  tally?: QuestionTally;
  /** To run when the request is over. */
  whenOver?: Set<() => void>;
}

/** What a question of the server's belongs to. */
export interface ElicitationOrigin {
  /**
   * Counts the questions of the request that asked least so far, because a server does not say
   * which it is. Absent without a request.
   */
  readonly tally: QuestionTally | undefined;
  /** The context of the request, or what those that it may be have in common. */
  readonly callContext: CallContext | undefined;
  /** It is not known which of several conversations the question is meant for. */
  readonly isAnybodys: boolean;
  /**
   * Runs `task` when the last of the requests is over, unless the returned function is called
   * before; never without a request.
   */
  whenOver(task: () => void): Cancel;
}

/**
 * The occasion that these requests are, of which the question belongs to one. `isShared`: where
 * there is none, there were requests of several conversations before.
 */
export function createElicitationOrigin(
  requests: readonly ElicitingRequest[],
  isShared: boolean = false,
): ElicitationOrigin {
  const tallies = requests.map((request) => (request.tally ??= { asked: 0 }));
  const [first] = tallies;
  const asking = requests.filter(({ request }) => isSomebodys(request));
  const contexts = asking.map(({ request }) => request.callContext);
  const fairnessKeys = new Set(contexts.map(fairnessKeyOf));
  return {
    tally: first && tallies.reduce((least, each) => (each.asked < least.asked ? each : least), first),
    callContext: fairnessKeys.size === 1 ? commonOf(contexts) : undefined,
    isAnybodys: asking.length === 0 ? isShared : fairnessKeys.size > 1,
    whenOver(task) {
      let left = requests.length;
      const onOver = (): void => {
        left -= 1;
        if (left === 0) task();
      };
      for (const request of requests) (request.whenOver ??= new Set()).add(onOver);
      return () => {
        for (const { whenOver } of requests) whenOver?.delete(onOver);
      };
    },
  };
}

/**
 * Whether a request is made for somebody: a listing or a ping without a context is the host's own,
 * and no occasion to ask a person.
 */
export function isSomebodys({ method, callContext }: ElicitingRequest["request"]): boolean {
  return callContext !== undefined || !(method.endsWith("/list") || hostsOwn.has(method));
}

const hostsOwn: ReadonlySet<string> = new Set(["initialize", "ping", "server/discover"]);

// Of one caller, which has one principal and one conversation; what else its requests differ in
// belongs to one of them alone.
function commonOf([first, ...others]: readonly (CallContext | undefined)[]): CallContext | undefined {
  if (first === undefined || others.every((other) => sameJson(first, other))) return first;
  const { principal, conversation } = first;
  return { ...(principal !== undefined && { principal }), ...(conversation !== undefined && { conversation }) };
}
