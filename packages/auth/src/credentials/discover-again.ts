import { isHostsideError } from "@hostside/core";
import { clock, untilAborted } from "@hostside/core/implement";
import { perAccount, type Account } from "../account.ts";
import type { AuthParts } from "../auth-parts.ts";
import { discoverAuthorization, type Discovered } from "../discovering/discover-authorization.ts";
import { BackOff, isHostsOwn } from "../tokens/back-off.ts";

interface Discoveries {
  running?: Promise<Discovered> | undefined;
  latest?: { readonly place: string; readonly discovered: Discovered; readonly at: number };
  /** The place where a program signs in: found out anew only when its tokens are refused. */
  program?: Discovered;
  readonly backOff: BackOff;
}

/** So soon it is seen that a server has moved to another authorization server. */
const countsForMs = 10_000;

const discoveriesOf = perAccount((): Discoveries => ({ backOff: new BackOff() }));

/**
 * Finds out where a server that refused a request has its users sign in. Requests are refused a
 * hundred at a time, and servers are out of order for hours: one finds out for all, what was found
 * counts for 10 s, and after a failure nobody is asked for a while. Ends with `close()`; `signal`
 * ends the wait alone.
 */
export function discoverAgain(parts: AuthParts, account: Account, signal?: AbortSignal): Promise<Discovered> {
  const discoveries = discoveriesOf(account);
  discoveries.running ??= discover(parts, account, discoveries).finally(() => (discoveries.running = undefined));
  return signal === undefined ? discoveries.running : untilAborted(discoveries.running, signal);
}

async function discover(parts: AuthParts, account: Account, discoveries: Discoveries): Promise<Discovered> {
  const { backOff, latest } = discoveries;
  // A refusal can name another place to look at.
  const place = account.hints.metadataUrl ?? "";
  if (latest?.place === place && clock.now() - latest.at < countsForMs) return latest.discovered;
  const failure = backOff.current(place);
  if (failure !== undefined) throw failure;
  try {
    const discovered = await discoverAuthorization(account, parts, { signal: parts.closing });
    backOff.succeeded();
    discoveries.latest = { place, discovered, at: clock.now() };
    return discovered;
  } catch (error) {
    if (isHostsideError(error) && !isHostsOwn(error)) {
      backOff.failed(place, error);
    }
    throw error;
  }
}

/** Finds the place to sign in, as this process found it out last. */
export async function whereToSignIn(
  parts: AuthParts,
  account: Account,
  { signal, anew = false }: { readonly signal?: AbortSignal; readonly anew?: boolean } = {},
): Promise<Discovered> {
  const discoveries = discoveriesOf(account);
  if (discoveries.program !== undefined && !anew) return discoveries.program;
  discoveries.program = await discoverAgain(parts, account, signal);
  return discoveries.program;
}
