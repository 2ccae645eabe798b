import type { Cancel, SharedDeadline } from "@hostside/core";
import { removeFrom } from "./fair-queue.ts";

interface Member {
  readonly deadline: SharedDeadline;
  readonly fairnessKey: string | undefined;
  /** Lets the clock go on; there while it stands still. */
  resume: Cancel | undefined;
}

/**
 * Deadlines that stand still while a human answers a question of their server: those of the
 * conversation that is asked (`fairnessKeyOf`). Deadlines of nobody in particular stand still with
 * any. How long a deadline may stand still is its own business.
 */
export class Pausable {
  readonly #members: Member[] = [];
  readonly #pauses = new Set<Pick<Member, "fairnessKey">>();

  /**
   * Adds a deadline; the returned function takes it out again, and its clock goes on. A deadline
   * that joins during a pause pauses at once.
   */
  add(deadline: SharedDeadline, fairnessKey: string | undefined): Cancel {
    const member: Member = { deadline, fairnessKey, resume: undefined };
    this.#members.push(member);
    if (this.#pauses.size > 0) this.#apply(member);
    return () => {
      removeFrom(this.#members, member);
      member.resume?.();
    };
  }

  /**
   * Stops those with this fairness key until the returned function is called; pauses may overlap.
   */
  pause(fairnessKey: string | undefined): Cancel {
    const pause = { fairnessKey };
    this.#pauses.add(pause);
    for (const member of this.#members) this.#apply(member);
    return () => {
      if (!this.#pauses.delete(pause)) return;
      for (const member of this.#members) this.#apply(member);
    };
  }

  #apply(member: Member): void {
    const isStopped = Array.from(this.#pauses).some(
      ({ fairnessKey }) => member.fairnessKey === undefined || member.fairnessKey === fairnessKey,
    );
    if (isStopped) member.resume ??= member.deadline.pause();
    else {
      member.resume?.();
      member.resume = undefined;
    }
  }
}
