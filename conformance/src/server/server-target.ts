import type { Finding } from "../engine/check.ts";
import type { TraceEvent } from "../engine/trace.ts";
import type { TraceRecorder } from "../engine/trace-recorder.ts";
import { callTools, type ToolCalls, type CallConsent } from "./consented-tools.ts";
import type { Handshake } from "./handshake.ts";
import { openHttpSession } from "./http-session.ts";
import { signalGroup } from "../engine/live-processes.ts";
import { readLibrary, type LibraryReads } from "./library-reads.ts";
import { readRawListing, type ListName, type RawListing } from "./raw-listing.ts";
import { readAuthorizationSurface, type AuthorizationSurface } from "./authorization-surface.ts";
import { createHttpWire, inTime, type HttpWire } from "./http-wire.ts";
import type { HttpRequest, HttpResponse, RawSession, StdioSession } from "./raw-session.ts";
import { endAfter, readySession, shakeHands, type ReadySession, type Substitute } from "./ready-session.ts";
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
  /** How long to wait where silence is legal, in milliseconds: an answer's time, 3,000 at most. */
  readonly quickMs: number;
  /**
   * How long the first answer of a session may take, in milliseconds: three times an answer, or
   * four times what the server took at the first contact, if that is more, because four may start at
   * once; never more than at the first contact.
   */
  readonly startMs: number;
  /**
   * A fresh session without a handshake: a new process, or an HTTP session without an id. A check
   * that is about one transport alone names the type of its sessions.
   */
  open<Session extends RawSession = RawSession>(): Promise<Session>;
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
   * to spare, and is only used again when the check found no fault and got its answers, or did not
   * apply: starting processes is most of a run's time.
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
   * capability. Ends early, too, where the process ended right after it. Default: `tools`.
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
  /**
   * Ends every session of the run, for checks at its end. Resolves with what `find` says of each,
   * without those that it says nothing of; the first of them is the trace.
   */
  judgeSessions(find: (session: RawSession) => string | undefined): Promise<readonly string[]>;
}

/** How the first contact with the server went. */
export interface FirstContact {
  readonly ready: ReadySession;
  readonly tookMs: number;
  /**
   * How many times longer a program seems to take on this machine at that time than on one that has
   * nothing else to do; at least 1.
   */
  readonly slowdown: Promise<number>;
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
  /** Whether a process ended by itself which the check shared, or which served another one before. */
  readonly hasLostProcess: () => boolean;
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
  const root: ServerTarget = createView(state, () => root).target;
  return {
    enter: () => createView(state, () => root),
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
    abandon: () => sessions.abandon(),
  };
}

/** How its process ended by itself, if it has one that did. */
export function deathOf(session: RawSession): string | undefined {
  return "death" in session ? (session as StdioSession).death : undefined;
}

/** Whether its process ended by itself, if only because nothing was asked. */
function hasEnded(session: RawSession): boolean {
  return "hasEnded" in session && (session as StdioSession).hasEnded;
}

function takeSpare(spare: ReadySession[]): ReadySession | undefined {
  const ready = spare.pop();
  return ready && hasEnded(ready.session) ? takeSpare(spare) : ready;
}

function createView(state: SharedState, root: () => ServerTarget): TargetView {
  const { options, sessions, bare, spare, substitute } = state;
  const opened = new Set<RawSession>();
  // The ids of the sessions that are the trace of a failure.
  const traced = new Set<string>();
  // Sessions that other checks used before.
  const borrowed = new Set<RawSession>();
  const keep = <Session extends RawSession>(session: Session): Session => {
    opened.add(session);
    traced.add(session.id);
    return session;
  };
  // What a check of one transport opens is a session of that transport.
  const open = async <Session extends RawSession>(): Promise<Session> => keep((await sessions.open()) as Session);
  const view: ServerTarget = {
    ...options,
    quickMs: Math.min(options.answerMs, 3000),
    substitute,
    get first() {
      return state.first;
    },
    get startMs() {
      return Math.min(options.startMs, Math.max(3 * options.answerMs, 4 * (state.first?.tookMs ?? 0)));
    },
    open,
    openReady: async () => shakeHands(await open(), view, substitute),
    async lend(use) {
      const used = takeSpare(spare);
      const ready = used ?? (await view.openReady());
      if (used) borrowed.add(used.session);
      keep(ready.session);
      const finding = await failOnEnd(ready, await use(ready));
      if (finding.status !== "pass" && finding.status !== "not-applicable") return finding;
      opened.delete(ready.session);
      spare.push(ready);
      return finding;
    },
    async shared() {
      const ready = await sharedSession(state, root());
      traced.add(ready.session.id);
      borrowed.add(ready.session);
      return ready;
    },
    identity: async () => (await sharedSession(state, root())).handshake,
    listing: async (name = "tools") => readOnce(state, name, await view.shared()),
    async reads() {
      const made = await (state.reads ??= readLibrary(root()));
      for (const { id } of made.sessions) traced.add(id);
      return made;
    },
    async calls() {
      const made = await (state.calls ??= callTools(root()));
      if (made !== undefined) traced.add(made.ready.session.id);
      return made;
    },
    async authorization() {
      traced.add(authorizationWire);
      return (state.surface ??= readAuthorizationSurface(options.address, bare));
    },
    exchange: async (url, init) => inTime(await bare.exchange(url, init)),
    async orderlyEnd() {
      const ended = await (state.ending ??= endOrderly(root()));
      traced.add(ended.session.id);
      return ended;
    },
    async judgeSessions(find) {
      // A run of one check has seen no more than a handshake yet.
      await Promise.allSettled([view.listing(), view.calls()]);
      await sessions.endAll();
      const found = sessions.ever.map((session) => ({ id: session.id, problem: find(session) }));
      const first = found.find(({ problem }) => problem !== undefined);
      if (first) traced.add(first.id);
      return found.flatMap(({ problem }) => problem ?? []);
    },
  };
  return {
    target: view,
    hasLostProcess: () => Array.from(borrowed).some(hasEnded),
    trace: () => options.trace.slice().filter(({ session }) => traced.has(session)),
    leave: () => opened.forEach(sessions.end),
  };
}

/** A process that ends right after a check passed has not passed it. */
async function failOnEnd(ready: ReadySession, finding: Finding): Promise<Finding> {
  const gone = finding.status === "pass" ? await endAfter(ready) : undefined;
  return gone === undefined ? finding : { status: "fail", observed: `answered, and then ${gone.reason}` };
}

/** The session of the first contact, or the one that replaces it once its process has ended. */
async function sharedSession(state: SharedState, root: ServerTarget): Promise<ReadySession> {
  const opening = (state.shared ??= root.openReady());
  const ready = await opening;
  if (!hasEnded(ready.session)) return ready;
  // The first to notice starts another one.
  if (state.shared === opening) state.shared = root.openReady();
  return state.shared;
}

async function readOnce({ listings }: SharedState, name: ListName, ready: ReadySession): Promise<RawListing> {
  const reading = listings.get(name) ?? readWholeListing(ready, name);
  listings.set(name, reading);
  const listing = await reading;
  // Of a process that had ended before: the next one may tell.
  const isLost = listing.pages.length === 0 && listing.broken?.kind === "gone";
  if (isLost && listings.get(name) === reading) listings.delete(name);
  return listing;
}

async function readWholeListing(ready: ReadySession, name: ListName): Promise<RawListing> {
  const listing = await readRawListing(ready, name);
  const gone = listing.broken === undefined && listing.pages.length > 0 ? await endAfter(ready) : undefined;
  return gone === undefined ? listing : { ...listing, broken: gone };
}

type Sessions = ReturnType<typeof createSessions>;

/** Opens sessions and knows which of them still have to be ended. */
function createSessions({ address, trace, answerMs }: TargetOptions) {
  // With the promise of the end of those that are being ended.
  const live = new Map<RawSession, Promise<void> | undefined>();
  const ever: RawSession[] = [];
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
  const endAll = async (): Promise<void> => {
    for (const session of Array.from(live.keys())) end(session);
    while (live.size > 0) await Promise.all(Array.from(live.values(), async (ending) => ending));
  };
  return {
    ever,
    endAll,
    async open(): Promise<RawSession> {
      const session = await start();
      live.set(session, undefined);
      ever.push(session);
      // The run may have ended while the process started.
      if (closed) end(session);
      return session;
    },
    end,
    async close(): Promise<void> {
      closed = true;
      await endAll();
    },
    abandon(): void {
      for (const session of live.keys()) if ("pid" in session) signalGroup((session as StdioSession).pid, "SIGKILL");
    },
  };
}
