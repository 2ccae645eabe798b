import type { Account } from "../account.ts";
import type { AuthParts } from "../auth-parts.ts";
import type { DpopServer } from "../dpop/choose-dpop.ts";

/** For whom a grant is asked for, and of whom. */
export interface GrantContext {
  readonly parts: Pick<AuthParts, "clock">;
  readonly account: Account;
  readonly server: DpopServer;
  readonly resource: string | undefined;
  readonly scope: string | undefined;
  readonly signal: AbortSignal;
}
