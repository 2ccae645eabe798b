import type { ServerSpec } from "@hostside/core";
import type { ConnectionHooks, KnownServer } from "@hostside/core/implement";
import { toHostsideError } from "../to-hostside-error.ts";
import type { LinkEvent } from "./link-event.ts";
import { hasSession, type LinkState } from "./link-state.ts";

type Reported =
  | "onDiagnostic"
  | "onLog"
  | "onResourcesChanged"
  | "onPromptsChanged"
  | "onResourceUpdated"
  | "onNotification";

/** What the connections of a link tell, and ask, that concerns no link. */
export interface NewsHooks extends Required<Pick<ConnectionHooks, Reported | "isInteractive">> {
  readonly principal: ConnectionHooks["principal"];
  readonly onElicit: ConnectionHooks["onElicit"];
}

/** What the hooks of one session are made from. */
export interface ConnectionHooksInit {
  /** The number of the session. */
  readonly session: number;
  readonly spec: ServerSpec;
  readonly link: { readonly state: LinkState; report(event: LinkEvent): void };
  readonly hooks: NewsHooks;
  readonly known: KnownServer | undefined;
}

/**
 * Makes the hooks of one session. News is passed on from the session that is in use, and from no
 * other: what is said of an earlier one is no news any more.
 */
export function createConnectionHooks({ session, spec, link, hooks, known }: ConnectionHooksInit): ConnectionHooks {
  const { principal } = hooks;
  const { id, elicitation } = spec;
  const onElicit = elicitation === false ? undefined : hooks.onElicit;
  const isInUse = (): boolean => hasSession(link.state) && link.state.session === session;
  return {
    onToolsChanged: () => link.report({ type: "tools-changed", session }),
    onDown: (error) => link.report({ type: "session-lost", session, error }),
    onQueued: () => link.report({ type: "turn", session, waits: true }),
    onStart: () => link.report({ type: "turn", session, waits: false }),
    onFailed: (error) => link.report({ type: "connect-failed", session, error: toHostsideError(error, id, "connect") }),
    onResourcesChanged() {
      if (isInUse()) hooks.onResourcesChanged();
    },
    onPromptsChanged() {
      if (isInUse()) hooks.onPromptsChanged();
    },
    onResourceUpdated(uri) {
      if (isInUse()) hooks.onResourceUpdated(uri);
    },
    onNotification(notification) {
      if (isInUse()) hooks.onNotification(notification);
    },
    onDiagnostic: (diagnostic) => hooks.onDiagnostic(diagnostic),
    onLog: (log) => hooks.onLog(log),
    isInteractive: () => hooks.isInteractive(),
    ...(principal !== undefined && { principal }),
    ...(known && { known: { server: known.server, tools: known.tools } }),
    ...(onElicit && { onElicit }),
  };
}
