import type { CallContext, Cancel } from "@toolport/core";
import type { QuestionTally } from "./elicitor.ts";

/** A request under way, as far as questions of its server go. */
export interface Questioned {
  readonly request: { readonly callContext?: CallContext | undefined };
  /** There once something was asked during the request. */
  tally?: QuestionTally;
  /** To run when the request is over. */
  whenOver?: Set<() => void>;
}

/** What a question of the server's belongs to. */
export interface Occasion {
  /** Counts the questions of the request that asked least so far, because a server does not say which it is. Absent without a request. */
  readonly tally: QuestionTally | undefined;
  /** The context of the request, where it is known which one it is. */
  readonly callContext: CallContext | undefined;
  /** Runs `task` when the last of the requests is over, unless the returned function is called before; never without a request. */
  whenOver(task: () => void): Cancel;
}

/** The occasion that these requests are, of which the question belongs to one. */
export function createOccasion(requests: readonly Questioned[]): Occasion {
  const tallies = requests.map((request) => (request.tally ??= { asked: 0 }));
  const [first] = tallies;
  return {
    tally: first && tallies.reduce((least, each) => (each.asked < least.asked ? each : least), first),
    callContext: requests.length === 1 ? requests[0]?.request.callContext : undefined,
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
