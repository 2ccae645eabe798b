import type { Finding } from "../engine/check.ts";
import type { TraceEvent } from "../engine/trace.ts";
import type { TraceRecorder } from "../engine/trace-recorder.ts";
import { callTools, type ToolCalls, type CallConsent } from "./consented-tools.ts";
import { handshake, type Handshake } from "./handshake.ts";
import { openHttpSession } from "./http-session.ts";
import { signalGroup } from "../engine/live-processes.ts";
import { readLibrary, type LibraryReads } from "./library-reads.ts";
import { readRawListing, type ListName, type RawListing } from "./raw-listing.ts";
import { readAuthorizationSurface, type AuthorizationSurface } from "./authorization-surface.ts";
import { createHttpWire, inTime, type HttpWire } from "./http-wire.ts";
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
  /**
   * How long the first answer of a session may take, in milliseconds: three times an answer, or
   * twice what the server took at the first contact, if that is more; never more than at the first
   * contact.
   */
  readonly startMs: number;
  /** A fresh session without a handshake: a new process, or an HTTP session without an id. */
  open(): Promise<RawSession>;
  /** The same, for a check that is about one transport alone. */
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
   * The pages of a list, read once on the shared session; none when the server does not declare the
   * capability. Default: `tools`.
   */
  listing(name?: ListName): Promise<RawListing>;
  /** One call of each tool that may be called, made once; `undefined` when none may. */
  calls(): Promise<ToolCalls | undefined>;
  /** The first resources and prompts of the lists, each asked for once. */
  reads(): Promise<LibraryReads>;
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
  /** A view of the target for one check. */
  enter(): TargetView;
  /** Makes a session that is ready already the shared one. */
  share(first: FirstContact): void;
  /** Opens a session that stays until {@linkcode close}. */
  open(): Promise<RawSession>;
  /** Ends every session. Resolves when nothing is left running. */
  close(): Promise<void>;
  /** Kills every process at once, for when there is no time to wait. */
  readonly abandon: () => void;
}

/** What one check has of a target. */
export interface TargetView {
  readonly target: ServerTarget;
  /** What happened on the sessions that the check asked for. */
  readonly trace: () => readonly TraceEvent[];
  /** Ends the sessions that the check opened, in the background. */
  readonly leave: () => void;
}

/** Options of {@linkcode createTargetOwner}. */
export interface TargetOptions extends Pick<ServerTarget, "address" | "consent" | "trace" | "answerMs"> {
  /** How long the first answer may take at the first contact, in milliseconds. */
  readonly startMs: number;
}

// The session of the trace events of what is asked without credentials.
const authorizationWire = "#auth";

/** What the views of one run share. */
interface SharedState {
  readonly options: TargetOptions;
  readonly sessions: Sessions;
  /** For what is asked without credentials. */
  readonly bare: HttpWire;
  readonly spare: ReadySession[];
  readonly substitute: Substitute;
  first?: FirstContact;
  shared?: Promise<ReadySession>;
  readonly listings: Map<ListName, Promise<RawListing>>;
  reads?: Promise<LibraryReads>;
  calls?: Promise<ToolCalls | undefined>;
  ending?: Promise<OrderlyEnd>;
  surface?: Promise<AuthorizationSurface>;
}

/** Prepares a target. Nothing starts before the first session is opened. */
export function createTargetOwner(options: TargetOptions): TargetOwner {
  const sessions = createSessions(options);
  const bare = createHttpWire({ ...options, id: authorizationWire });
  const state: SharedState = { options, sessions, bare, spare: [], substitute: {}, listings: new Map() };
  const root: ServerTarget = createView(state, { opened: new Set(), traced: new Set(), root: () => root });
  return {
    enter() {
      const [opened, traced] = [new Set<RawSession>(), new Set<string>()];
      return {
        target: createView(state, { opened, traced, root: () => root }),
        trace: () => options.trace.slice().filter(({ session }) => traced.has(session)),
        leave: () => opened.forEach(sessions.end),
      };
    },
    share(contact) {
      state.first = contact;
      const { session, handshake: made } = contact.ready;
      state.shared = Promise.resolve(readySession(session, made, state.substitute));
    },
    open: () => root.open(),
    async close() {
      bare.hangUp();
      await sessions.close();
    },
    abandon: sessions.abandon,
  };
}

interface ViewSetup {
  readonly opened: Set<RawSession>;
  /** The ids of the sessions that are the trace of a failure. */
  readonly traced: Set<string>;
  readonly root: () => ServerTarget;
}

function createView(state: SharedState, { opened, traced, root }: ViewSetup): ServerTarget {
  const { options, sessions, bare, spare, substitute } = state;
  const keep = <Session extends RawSession>(session: Session): Session => {
    opened.add(session);
    traced.add(session.id);
    return session;
  };
  // What a check of one transport opens is a session of that transport.
  const open = async <Session extends RawSession>(): Promise<Session> => keep((await sessions.open()) as Session);
  const shared = (): Promise<ReadySession> => (state.shared ??= root().openReady());
  const view: ServerTarget = {
    ...options,
    substitute,
    get first() {
      return state.first;
    },
    get startMs() {
      return Math.min(options.startMs, Math.max(3 * options.answerMs, 2 * (state.first?.tookMs ?? 0)));
    },
    open,
    openStdio: open,
    openHttp: open,
    openSse: open,
    async openReady() {
      const session = await open();
      return readySession(session, await handshake(session, view), substitute);
    },
    async lend(use) {
      const ready = spare.pop() ?? (await view.openReady());
      keep(ready.session);
      const finding = await use(ready);
      if (finding.status === "pass" || finding.status === "not-applicable") {
        opened.delete(ready.session);
        spare.push(ready);
      }
      return finding;
    },
    async shared() {
      const ready = await shared();
      traced.add(ready.session.id);
      return ready;
    },
    identity: async () => (await shared()).handshake,
    listing(name = "tools") {
      const listing = state.listings.get(name) ?? shared().then((ready) => readRawListing(ready, name));
      state.listings.set(name, listing);
      return listing;
    },
    async reads() {
      const made = await (state.reads ??= readLibrary(root()));
      traced.add(made.ready.session.id);
      return made;
    },
    async calls() {
      const made = await (state.calls ??= callTools(root()));
      if (made !== undefined) traced.add(made.ready.session.id);
      return made;
    },
    async authorization() {
      const { address } = options;
      if (address.type === "stdio") throw new TypeError("the target is not an HTTP server");
      traced.add(authorizationWire);
      return (state.surface ??= readAuthorizationSurface(address, bare));
    },
    exchange: async (url, init) => inTime(await bare.exchange(url, init)),
    async orderlyEnd() {
      const ended = await (state.ending ??= endOrderly(root()));
      traced.add(ended.session.id);
      return ended;
    },
  };
  return view;
}

interface Sessions {
  open(): Promise<RawSession>;
  readonly end: (session: RawSession) => void;
  close(): Promise<void>;
  readonly abandon: () => void;
}

/** Opens sessions and knows which of them still have to be ended. */
function createSessions({ address, trace, answerMs }: TargetOptions): Sessions {
  // With the promise of the end of those that are being ended.
  const live = new Map<RawSession, Promise<void> | undefined>();
  let count = 0;
  let closed = false;
  const start = async (): Promise<RawSession> => {
    const options = { id: `#${++count}`, trace, answerMs };
    if (address.type === "stdio") return openStdioSession(address.server, options);
    const { type, url, headers, signIn } = address;
    return (type === "sse" ? openSseSession : openHttpSession)(url, { ...options, headers, signIn });
  };
  const end = (session: RawSession): void => {
    if (!live.has(session) || live.get(session) !== undefined) return;
    live.set(
      session,
      session.close().finally(() => live.delete(session)),
    );
  };
  return {
    async open() {
      const session = await start();
      live.set(session, undefined);
      // The run may have ended while the process started.
      if (closed) end(session);
      return session;
    },
    end,
    async close() {
      closed = true;
      for (const session of Array.from(live.keys())) end(session);
      while (live.size > 0) await Promise.all(Array.from(live.values(), async (ending) => ending));
    },
    abandon() {
      for (const session of live.keys()) if ("pid" in session) signalGroup((session as StdioSession).pid, "SIGKILL");
    },
  };
}
