import type { Finding } from "../engine/check.ts";
import type { TraceRecorder } from "../engine/trace-recorder.ts";
import { callTools, type ToolCalls } from "./call-tools.ts";
import type { CallConsent } from "./consented-tools.ts";
import { handshake, type Handshake } from "./handshake.ts";
import { openHttpSession } from "./http-session.ts";
import { signalGroup } from "../engine/live-processes.ts";
import { readRawListing, type RawListing } from "./raw-listing.ts";
import { readAuthorizationSurface, type AuthorizationSurface, type HttpAddress } from "./authorization-surface.ts";
import { createHttpWire, inTime, type HttpSessionOptions } from "./http-wire.ts";
import type { HttpRequest, HttpResponse, HttpSession, RawSession, SseSession, StdioSession } from "./raw-session.ts";
import { readySession, type ReadySession, type Substitute } from "./ready-session.ts";
import type { ServerAddress } from "./server-address.ts";
import { endOrderly, type OrderlyEnd } from "./orderly-end.ts";
import { openSseSession } from "./sse-session.ts";
import { openStdioSession } from "./stdio-session.ts";

/**
 * The server under test, as one check sees it. Every session that a check opens ends with the
 * check.
 */
export interface ServerTarget {
  readonly address: ServerAddress;
  readonly consent: CallConsent;
  readonly trace: TraceRecorder;
  /** How long an answer may take, in milliseconds, before a check calls it silence. */
  readonly answerMs: number;
  /** A fresh session without a handshake: a new process, or an HTTP session without an id. */
  open(): Promise<RawSession>;
  /**
   * The same, when the check is about stdio (or HTTP, or HTTP+SSE) and has made sure of it. Throws
   * `TypeError` otherwise.
   */
  openStdio(): Promise<StdioSession>;
  openHttp(): Promise<HttpSession>;
  openSse(): Promise<SseSession>;
  /**
   * What all ready sessions send in place of the era's own probe, where the server does not answer
   * that.
   */
  readonly substitute: Substitute;
  /**
   * A fresh session after a handshake of the newest revision that the server speaks. Throws when
   * there was none.
   */
  openReady(): Promise<ReadySession>;
  /**
   * Hands out a ready session that nobody else uses meanwhile. It was used before if there was one
   * to spare, and is only used again when the check found no fault and got its answers: starting
   * processes is most of a run's time.
   */
  lend(use: (ready: ReadySession) => Promise<Finding>): Promise<Finding>;
  /**
   * The handshake of the first contact and how long it took from the start of the process, in
   * milliseconds; if it succeeded.
   */
  readonly first: FirstContact | undefined;
  /** The first session of the run, for all checks that only read. */
  shared(): Promise<ReadySession>;
  /** The handshake of the shared session. */
  identity(): Promise<Handshake>;
  /**
   * The pages of the shared session's `tools/list`, read once; none when the server declares no
   * tools.
   */
  listing(): Promise<RawListing>;
  /** One call of each tool that may be called, made once; `undefined` when none may. */
  calls(): Promise<ToolCalls | undefined>;
  /** What is said to those who have no credentials, asked once. Only over HTTP and HTTP+SSE. */
  authorization(): Promise<AuthorizationSurface>;
  /**
   * One request without the credentials of the run, in the trace of those of
   * {@linkcode authorization}. Rejects when nothing came in time.
   */
  exchange(url: URL, init: HttpRequest): Promise<HttpResponse>;
  /** How the process of one session ended after its stdin did; looked at once. Only over stdio. */
  orderlyEnd(): Promise<OrderlyEnd>;
}

/** How the first contact with the server went. */
export interface FirstContact {
  readonly ready: ReadySession;
  readonly tookMs: number;
}

/** What owns the sessions of a run. */
export interface TargetOwner {
  /**
   * A view of the target for one check; `leave` ends the sessions that the check opened, in the
   * background.
   */
  enter(): { readonly target: ServerTarget; readonly leave: () => void };
  /** Makes a session that is ready already the shared one. */
  share(first: FirstContact): void;
  /** Opens a session that stays until {@linkcode close}. */
  open(): Promise<RawSession>;
  /** Ends every session. Resolves when nothing is left running. */
  close(): Promise<void>;
  /** Kills every process at once, for when there is no time to wait. */
  abandon(): void;
}

/** Options of {@linkcode createTargetOwner}. */
export interface TargetOptions {
  readonly address: ServerAddress;
  readonly consent: CallConsent;
  readonly trace: TraceRecorder;
  readonly answerMs: number;
}

/** Prepares a target. Nothing starts before the first session is opened. */
export function createTargetOwner(options: TargetOptions): TargetOwner {
  const sessions = createSessions(options);
  const spare: ReadySession[] = [];
  const substitute: Substitute = {};
  let first: FirstContact | undefined;
  let shared: Promise<ReadySession> | undefined;
  let listing: Promise<RawListing> | undefined;
  let calls: Promise<ToolCalls | undefined> | undefined;
  let ending: Promise<OrderlyEnd> | undefined;
  let surface: Promise<AuthorizationSurface> | undefined;
  const bare = createHttpWire({ ...options, id: "#auth" });

  const root = createView(new Set());
  function createView(opened: Set<RawSession>): ServerTarget {
    const keep = <Session extends RawSession>(session: Session): Session => {
      opened.add(session);
      return session;
    };
    const view: ServerTarget = {
      ...options,
      substitute,
      get first() {
        return first;
      },
      open: async () => keep(await sessions.open()),
      openStdio: async () => keep(await sessions.openStdio()),
      openHttp: async () => keep(sessions.openHttp()),
      openSse: async () => keep(sessions.openSse()),
      async openReady() {
        const session = await view.open();
        return readySession(session, await handshake(session, options), substitute);
      },
      async lend(use) {
        const ready = spare.pop() ?? (await view.openReady());
        opened.add(ready.session);
        const finding = await use(ready);
        if (finding.status === "pass" || finding.status === "not-applicable") {
          opened.delete(ready.session);
          spare.push(ready);
        }
        return finding;
      },
      shared: () => (shared ??= root.openReady()),
      identity: async () => (await view.shared()).handshake,
      listing: () => (listing ??= view.shared().then(readRawListing)),
      calls: () => (calls ??= callTools(root)),
      async authorization() {
        const { address } = options;
        if (address.type === "stdio") throw new TypeError("the target is not an HTTP server");
        return (surface ??= readAuthorizationSurface(address, bare));
      },
      exchange: async (url, init) => inTime(await bare.exchange(url, init)),
      orderlyEnd: () => (ending ??= endOrderly(root)),
    };
    return view;
  }
  return {
    enter() {
      const opened = new Set<RawSession>();
      return {
        target: createView(opened),
        leave: () => {
          for (const session of opened) sessions.end(session);
        },
      };
    },
    share(contact) {
      first = contact;
      const { session, handshake: made } = contact.ready;
      shared = Promise.resolve(readySession(session, made, substitute));
    },
    open: () => root.open(),
    async close() {
      bare.hangUp();
      await sessions.close();
    },
    abandon: () => sessions.abandon(),
  };
}

interface Sessions {
  open(): Promise<RawSession>;
  openStdio(): Promise<StdioSession>;
  openHttp(): HttpSession;
  openSse(): SseSession;
  end(session: RawSession): void;
  close(): Promise<void>;
  abandon(): void;
}

function credentialsOf({ headers, signIn }: HttpAddress): Pick<HttpSessionOptions, "headers" | "signIn"> {
  return { headers, signIn };
}

/** Opens sessions and knows which of them still have to be ended. */
function createSessions({ address, trace, answerMs }: TargetOptions): Sessions {
  const live = new Set<RawSession>();
  const ending = new Set<Promise<void>>();
  const groups = new Map<RawSession, number>();
  let count = 0;
  let closed = false;
  const options = (): { id: string; trace: TraceRecorder; answerMs: number } => ({
    id: `#${++count}`,
    trace,
    answerMs,
  });
  const end = (session: RawSession): void => {
    if (!live.delete(session)) return;
    const done = session.close().finally(() => {
      ending.delete(done);
      groups.delete(session);
    });
    ending.add(done);
  };
  const sessions: Sessions = {
    async openStdio() {
      if (address.type !== "stdio") throw new TypeError("the target is not a stdio server");
      const session = await openStdioSession(address.server, options());
      groups.set(session, session.pid);
      live.add(session);
      // The run may have ended while the process started.
      if (closed) end(session);
      return session;
    },
    openHttp() {
      if (address.type !== "http") throw new TypeError("the target is not an HTTP server");
      const session = openHttpSession(address.url, { ...options(), ...credentialsOf(address) });
      live.add(session);
      return session;
    },
    openSse() {
      if (address.type !== "sse") throw new TypeError("the target is not a server over HTTP+SSE");
      const session = openSseSession(address.url, { ...options(), ...credentialsOf(address) });
      live.add(session);
      return session;
    },
    async open() {
      if (address.type === "stdio") return sessions.openStdio();
      return address.type === "sse" ? sessions.openSse() : sessions.openHttp();
    },
    end,
    async close() {
      closed = true;
      for (const session of Array.from(live)) end(session);
      while (ending.size > 0) await Promise.all(ending);
    },
    abandon() {
      for (const group of groups.values()) signalGroup(group, "SIGKILL");
    },
  };
  return sessions;
}
