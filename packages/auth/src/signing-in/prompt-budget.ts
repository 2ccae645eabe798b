import type { Account } from "../account.ts";
import type { AuthParts } from "../auth-parts.ts";

/** How often refusals may have a user asked. */
export interface PromptBudget {
  isUsedUp(account: Account): boolean;
  use(account: Account): void;
}

/**
 * A server that refuses whatever it is given would otherwise send the user to the browser for ever.
 */
export const mostPrompts = 3;
const windowMs = 600_000;

/** Makes a budget of three in ten minutes for each account. */
export function createPromptBudget({ clock }: Pick<AuthParts, "clock">): PromptBudget {
  const prompts = new WeakMap<Account, readonly number[]>();
  const latestOf = (account: Account): readonly number[] => {
    const since = clock.now() - windowMs;
    return (prompts.get(account) ?? []).filter((at) => at > since);
  };
  return {
    isUsedUp: (account) => latestOf(account).length >= mostPrompts,
    use: (account) => void prompts.set(account, [...latestOf(account), clock.now()]),
  };
}
