import type { AccountOwner, OAuth, SignedIn } from "@hostside/auth";
import { HostsideError, type ServerCredentials } from "@hostside/core";
import { createEvent } from "@hostside/core/implement";

const none = Object.freeze({});
// As many as `createOAuth()` keeps.
const mostAccounts = 10_000;

/** When there may be credentials before anybody has signed in. */
export interface LazyOAuthOptions {
  /** `true`: there are none, so that the server is asked without credentials. */
  readonly isEmpty: (serverId: string) => boolean;
}

/** The latest question about an account, and the answer once there is one. */
interface Account {
  asked: Parameters<OAuth["authProvider"]>;
  own: ServerCredentials | undefined;
  readonly credentials: ServerCredentials;
}

/** Makes an `OAuth` that calls `load` when one of its methods, or a server, first needs it. */
export function createLazyOAuth(load: () => Promise<OAuth>, { isEmpty }: LazyOAuthOptions): OAuth {
  let loaded: OAuth | undefined;
  let loading: Promise<OAuth> | undefined;
  let isClosed = false;
  const events = { signedIn: createEvent<SignedIn>(), signedOut: createEvent<AccountOwner>() };
  // Those that were asked for before the load: all connections of an account have the same object.
  const accounts = new Map<string, Account>();
  const loadNow = async (): Promise<OAuth> => {
    const made = await load();
    made.onSignedIn((signedIn) => events.signedIn.emit(signedIn));
    made.onSignedOut((owner) => events.signedOut.emit(owner));
    loaded = made;
    for (const account of accounts.values()) connect(account, made);
    return made;
  };
  const open = (): Promise<OAuth> => {
    if (isClosed && loading === undefined) throw new HostsideError("the sign-in was closed", { code: "closed" });
    loading ??= loadNow().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
  const close = async (): Promise<void> => {
    isClosed = true;
    for (const event of Object.values(events)) event.close();
    await (await loading?.catch(() => undefined))?.close();
  };
  const isAnonymous = (serverId: string): boolean => loading === undefined && !isClosed && isEmpty(serverId);
  return {
    authProvider(...asked) {
      const [spec, { principal }] = asked;
      if (spec.url === undefined || spec.auth !== "oauth") return undefined;
      const key = JSON.stringify([spec.id, spec.url, principal]);
      const known = accounts.get(key);
      const own = loaded?.authProvider(...asked);
      if (loaded !== undefined && known === undefined) return own;
      const account = known ?? createAccount(asked, { open, isAnonymous });
      account.asked = asked;
      account.own = own;
      keepLast(accounts, key, account);
      return account.credentials;
    },
    authorize: async (...given) => (await open()).authorize(...given),
    begin: async (...given) => (await open()).begin(...given),
    complete: async (...given) => (await open()).complete(...given),
    cancel: async (...given) => (await open()).cancel(...given),
    discover: async (...given) => (await open()).discover(...given),
    signOut: async (...given) => (await open()).signOut(...given),
    clear: async (...given) => (await open()).clear(...given),
    forgetClient: async (...given) => (await open()).forgetClient(...given),
    list: async () => (await open()).list(),
    // Nothing was read that another process could have changed.
    reload: async (...given) => (await loading)?.reload(...given),
    onSignedIn: events.signedIn.on,
    onSignedOut: events.signedOut.on,
    close,
    [Symbol.asyncDispose]: close,
  };
}

interface AccountParts {
  readonly open: () => Promise<OAuth>;
  readonly isAnonymous: (serverId: string) => boolean;
}

function createAccount(asked: Account["asked"], { open, isAnonymous }: AccountParts): Account {
  const [{ id }] = asked;
  const opened = async (): Promise<ServerCredentials | undefined> => ownOf(account, await open());
  const account: Account = {
    asked,
    own: undefined,
    credentials: {
      headersFor: async (request) => (isAnonymous(id) ? none : ((await opened())?.headersFor(request) ?? none)),
      onRefused: async (refusal) => (await opened())?.onRefused(refusal),
      onAnswered: (...answer) => account.own?.onAnswered?.(...answer),
      clear: async () => (await opened())?.clear?.(),
    },
  };
  return account;
}

function ownOf(account: Account, oauth: OAuth): ServerCredentials | undefined {
  return (account.own ??= oauth.authProvider(...account.asked));
}

/** Makes an account known, for a sign-in by the id of its server. */
function connect(account: Account, oauth: OAuth): void {
  try {
    ownOf(account, oauth);
  } catch {
    // The requests of that server say what is wrong with its client.
  }
}

function keepLast(accounts: Map<string, Account>, key: string, account: Account): void {
  accounts.delete(key);
  accounts.set(key, account);
  const [oldest = key] = accounts.keys();
  if (accounts.size > mostAccounts) accounts.delete(oldest);
}
