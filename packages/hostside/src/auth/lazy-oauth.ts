import type { AccountOwner, OAuth, SignedIn } from "@hostside/auth";
import { HostsideError, type ServerCredentials } from "@hostside/core";
import { createEvent } from "@hostside/core/implement";

const none = Object.freeze({});

/**
 * Makes an `OAuth` that `load` is called for when one of its methods or a server first needs it.
 * `isEmpty`: nobody can be signed in before that, so that servers are asked without credentials.
 */
export function createLazyOAuth(load: () => Promise<OAuth>, { isEmpty }: { readonly isEmpty: boolean }): OAuth {
  let loaded: OAuth | undefined;
  let loading: Promise<OAuth> | undefined;
  let isClosed = false;
  const events = { signedIn: createEvent<SignedIn>(), signedOut: createEvent<AccountOwner>() };
  // One connection of each server, for a sign-in by the id of the server.
  const connected = new Map<string, () => unknown>();
  const loadNow = async (): Promise<OAuth> => {
    const made = await load();
    made.onSignedIn((signedIn) => events.signedIn.emit(signedIn));
    made.onSignedOut((owner) => events.signedOut.emit(owner));
    loaded = made;
    for (const connect of connected.values()) connect();
    connected.clear();
    return made;
  };
  const open = (): Promise<OAuth> => {
    if (isClosed && loading === undefined) throw new HostsideError("the sign-in was closed", { code: "closed" });
    return (loading ??= loadNow());
  };
  const close = async (): Promise<void> => {
    isClosed = true;
    for (const event of Object.values(events)) event.close();
    await (await loading)?.close();
  };
  return {
    authProvider(spec, request) {
      if (spec.url === undefined || spec.auth !== "oauth") return undefined;
      if (loaded !== undefined) return loaded.authProvider(spec, request);
      let own: ServerCredentials | undefined;
      const connect = (): ServerCredentials | undefined => (own ??= loaded?.authProvider(spec, request));
      connected.set(spec.id, connect);
      const opened = async (): Promise<ServerCredentials | undefined> => {
        await open();
        return connect();
      };
      return {
        headersFor: async (asked) =>
          loading === undefined && isEmpty && !isClosed ? none : ((await opened())?.headersFor(asked) ?? none),
        onRefused: async (refusal) => (await opened())?.onRefused(refusal),
        onAnswered: (...answer) => own?.onAnswered?.(...answer),
        clear: async () => (await opened())?.clear?.(),
      };
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
