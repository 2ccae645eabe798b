import { formatProblem, type ConfigProblem } from "@hostside/config";
import type { LoadedConfig } from "@hostside/config/node";
import { readOffer, type ServeFlags, type ServeOffer } from "./serve-offer.ts";

/** What is offered, as the files say it now. */
export interface LiveOffer {
  readonly current: ServeOffer;
  /**
   * Why it is not what the files say: what they said last makes no sense, and what was offered
   * before stays.
   */
  readonly problem: string | undefined;
  /** Takes over what a configuration says, and answers what is offered then. */
  take(config: Pick<LoadedConfig, "settings" | "sources" | "problems">): ServeOffer;
}

/** Starts with what was read before anything was started. */
export function createLiveOffer(flags: ServeFlags, started: ServeOffer): LiveOffer {
  let current = started;
  let problem: string | undefined;
  let taken: LoadedConfig["settings"] | undefined;
  return {
    get current() {
      return current;
    },
    get problem() {
      return problem;
    },
    take({ settings, sources, problems }) {
      if (settings === taken) return current;
      taken = settings;
      try {
        const wrong = serveProblem(problems);
        if (wrong !== undefined) throw new TypeError(formatProblem(wrong));
        current = readOffer(
          flags,
          settings,
          sources.map(({ serverId }) => serverId),
        );
        problem = undefined;
      } catch (error) {
        problem = error instanceof Error ? error.message : "it cannot be read";
      }
      return current;
    },
  };
}

/** What is wrong with what files say of the offer, because of which nothing of it is used. */
export function serveProblem(problems: readonly ConfigProblem[]): ConfigProblem | undefined {
  return problems.find(({ severity, path }) => severity === "error" && /^serve(?:\.|$)/.test(path));
}
