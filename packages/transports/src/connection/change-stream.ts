import { HostsideError } from "@hostside/core";
import { clock, isJsonObject, untilAborted } from "@hostside/core/implement";
import type { ServerContext } from "../context/server-context.ts";
import type { ChangeFilter, ListeningClient, OpenedStream } from "../message/listening-client.ts";
import { fromSdkError } from "../sdk/from-sdk-error.ts";
import { waitFor } from "../time/cancellable-wait.ts";

/** What a {@linkcode ChangeStream} goes by. */
export interface ChangeStreamInit {
  readonly context: ServerContext;
  readonly client: ListeningClient;
  /** What is wanted from the beginning and as long as there is a stream. */
  readonly lists: Omit<ChangeFilter, "resourceSubscriptions">;
  /** Whatever is wanted may have changed unheard: the stream was lost, or opened late. */
  readonly onGap: () => void;
  /**
   * When the first stream may be opened, unless a resource is wanted earlier. Until then nothing
   * counts as missed. Default: at once.
   */
  readonly after?: Promise<void> | undefined;
}

/**
 * The one stream on which a 2026-07-28 server says what changed, opened again whenever it is lost.
 * While nothing is wanted there is none. When something else is wanted, another stream is opened
 * and only then the one before left, so that nothing is missed between the two.
 */
export interface ChangeStream {
  /**
   * Resolves when the first stream is open, or when that is no longer waited for. Never rejects.
   */
  readonly ready: Promise<void>;
  /**
   * Wants the updates of a resource as well. Resolves when the server agreed; rejects when it did
   * not, and wants it no longer then.
   */
  addResource(uri: string): Promise<void>;
  /** Whoever still waits for it gets `aborted`. */
  removeResource(uri: string): void;
  /** Ends it for good; what waits is rejected with `error`. Idempotent. */
  close(error?: HostsideError): void;
}

// A listing that starts before the stream is open can miss a change. Most servers open it at once;
// the others are listed twice.
const longestWaitMs = 1000;
const shortestBackoffMs = 500;
const longestBackoffMs = 30_000;
const methodNotFound = -32_601;

/** Makes one, and opens a stream if anything is wanted. */
export function openChangeStream(init: ChangeStreamInit): ChangeStream {
  const closing = new AbortController();
  let onReady = (): void => undefined;
  const ready = new Promise<void>((resolve) => {
    onReady = resolve;
  });
  const listening = startOf(init, closing.signal, () => onReady());
  let isBegun = false;
  const begin = (): void => {
    if (isBegun) return;
    isBegun = true;
    void keepListening(listening);
  };
  if (!wantsAnything(listening) || init.after !== undefined) onReady();
  else {
    const cancelWait = clock.schedule(longestWaitMs, () => {
      listening.missedSome = true;
      onReady();
    });
    void ready.then(cancelWait);
  }
  if (init.after === undefined) begin();
  else void init.after.then(begin);
  return {
    ready,
    addResource(uri) {
      const { over } = listening;
      if (over !== undefined) return Promise.reject(over);
      return new Promise((resolve, reject) => {
        listening.asked.set(uri, { resolve, reject, isAlone: false });
        begin();
        listening.wake();
      });
    },
    removeResource(uri) {
      const asked = listening.asked.get(uri);
      listening.asked.delete(uri);
      asked?.reject(notWanted(listening.context.serverId));
      if (listening.resources.delete(uri) || asked !== undefined) listening.wake();
    },
    close(error = closedError(init.context.serverId)) {
      endAll(listening, error);
      onReady();
      closing.abort(error);
    },
  };
}

/** A resource that somebody waits for. */
interface Asked {
  readonly resolve: () => void;
  readonly reject: (error: HostsideError) => void;
  /** To be asked for by itself, because together with others it was refused. */
  isAlone: boolean;
}

/** A stream that is open. */
interface Stream {
  readonly openedAt: number;
  readonly closed: OpenedStream["closed"];
  readonly leave: () => void;
}

interface Listening extends ChangeStreamInit {
  readonly signal: AbortSignal;
  readonly onReady: () => void;
  /** Changes since the last time that all was read may not have been told. */
  missedSome: boolean;
  /** What the server agreed to tell of, and is asked for each time. */
  readonly resources: Set<string>;
  readonly asked: Map<string, Asked>;
  stream: Stream | undefined;
  /** Something else is wanted than the latest stream was asked for. */
  isDirty: boolean;
  /**
   * The server would not have the resources in the latest round, and is asked for the rest first.
   */
  isReduced: boolean;
  /** Why nothing can be wanted any more. */
  over: HostsideError | undefined;
  /** Says that something else is wanted. */
  wake: () => void;
}

function startOf(init: ChangeStreamInit, signal: AbortSignal, onReady: () => void): Listening {
  return {
    ...init,
    signal,
    onReady,
    missedSome: false,
    resources: new Set(),
    asked: new Map(),
    stream: undefined,
    isDirty: false,
    isReduced: false,
    over: undefined,
    wake: () => undefined,
  };
}

function wantsAnything({ lists, resources, asked }: Listening): boolean {
  return Object.keys(lists).length > 0 || resources.size > 0 || asked.size > 0;
}

function endAll(listening: Listening, error: HostsideError): void {
  listening.over ??= error;
  for (const { reject } of listening.asked.values()) reject(error);
  listening.asked.clear();
}

async function keepListening(listening: Listening): Promise<void> {
  const { signal, context } = listening;
  let losses = 0;
  while (!signal.aborted && listening.over === undefined) {
    const { stream } = listening;
    if (stream === undefined ? !wantsAnything(listening) : !listening.isDirty) {
      const end = await untilEnd(listening);
      if (end === undefined) continue;
      if (end === "local") return endAll(listening, closedError(context.serverId));
      // A stream that lasted starts the backoff over; one that the server closes at once must not
      // become a storm.
      if (stream !== undefined && clock.now() - stream.openedAt > longestBackoffMs) losses = 0;
      listening.stream = undefined;
      loseStream(listening, end === "graceful" ? "was closed by the server" : "broke off");
    } else if (!wantsAnything(listening)) {
      stream?.leave();
      listening.stream = undefined;
      continue;
    } else if (await openNext(listening)) continue;
    const backoffMs = Math.min(longestBackoffMs, shortestBackoffMs * 2 ** losses);
    losses += 1;
    // Half of it is chance, so that many hosts do not come back to a restarted server at once.
    await waitFor(backoffMs * (0.5 + context.random() / 2), { signal });
  }
}

// Resolves with how the stream ended, or with `undefined` as soon as something else is wanted.
async function untilEnd(listening: Listening): Promise<"local" | "graceful" | "remote" | undefined> {
  const { stream, signal } = listening;
  const woken = new Promise<undefined>((resolve) => {
    listening.wake = () => {
      listening.isDirty = true;
      resolve(undefined);
    };
  });
  try {
    return await untilAborted(stream === undefined ? woken : Promise.race([stream.closed, woken]), signal);
  } catch {
    return "local";
  }
}

// `false`: the server is to be left alone for a while.
async function openNext(listening: Listening): Promise<boolean> {
  const { client, signal, context, lists } = listening;
  const { settings } = context;
  const asked = nextAsked(listening);
  const uris = listening.isReduced ? [] : [...listening.resources, ...asked.map(([uri]) => uri)];
  listening.isDirty = false;
  listening.wake = () => {
    listening.isDirty = true;
  };
  const leaving = new AbortController();
  const filter = { ...lists, ...(uris.length > 0 && { resourceSubscriptions: uris }) };
  try {
    const options = { timeout: settings.timeouts.requestMs, signal: AbortSignal.any([signal, leaving.signal]) };
    const { closed, honoredFilter } = await client.listen(filter, options);
    listening.stream?.leave();
    listening.stream = { openedAt: clock.now(), closed, leave: () => leaving.abort() };
    if (listening.missedSome) listening.onGap();
    listening.missedSome = false;
    takeAgreement(listening, asked, honoredFilter);
    return true;
  } catch (cause) {
    return signal.aborted || refused(listening, asked, cause);
  } finally {
    if (listening.asked.size > 0) listening.isDirty = true;
    listening.onReady();
  }
}

function nextAsked({ asked, isReduced }: Listening): readonly (readonly [uri: string, asked: Asked])[] {
  if (isReduced) return [];
  const all = Array.from(asked);
  const alone = all.find(([, { isAlone }]) => isAlone);
  return alone === undefined ? all : [alone];
}

type AskedNow = ReturnType<typeof nextAsked>;

function takeAgreement(listening: Listening, asked: AskedNow, honored: unknown): void {
  const { context, resources } = listening;
  const { serverId, onDiagnostic } = context;
  const agreed = agreedResources(honored);
  for (const [uri, each] of asked) {
    // Nobody wants it any more.
    if (listening.asked.get(uri) !== each) continue;
    listening.asked.delete(uri);
    if (agreed(uri)) {
      resources.add(uri);
      each.resolve();
    } else each.reject(notOffered(serverId));
  }
  const lost = listening.isReduced ? resources.size : Array.from(resources).filter((uri) => !agreed(uri)).length;
  listening.isReduced = false;
  if (lost === 0) return;
  const message = `server ${JSON.stringify(serverId)} does not tell of changes of ${lost} resources any more that were subscribed to`;
  onDiagnostic({ kind: "stream-lost", serverId, message });
}

// A server that says nothing of what it agreed to is taken to have agreed.
function agreedResources(honored: unknown): (uri: string) => boolean {
  if (!isJsonObject(honored)) return () => true;
  const { resourceSubscriptions: agreed } = honored;
  const uris = new Set<unknown>(Array.isArray(agreed) ? agreed : []);
  return (uri) => uris.has(uri);
}

// What was asked for now is what may be wrong, as long as there was a stream without it. `false`:
// the server is to be left alone for a while.
function refused(listening: Listening, asked: AskedNow, cause: unknown): boolean {
  const { context, lists, resources } = listening;
  const { serverId, redact, onDiagnostic } = context;
  const error = fromSdkError(cause, { serverId, method: "subscriptions/listen", redact });
  const { rpcCode } = error.details;
  if (rpcCode === methodNotFound) {
    endAll(listening, notOffered(serverId));
    listening.stream?.leave();
    if (Object.keys(lists).length === 0) return true;
    const message = `server ${JSON.stringify(serverId)} announces changes but offers no stream for them`;
    onDiagnostic({ kind: "stream-lost", serverId, message });
    return true;
  }
  if (asked.length > 0) {
    const isOneOfThem = rpcCode !== undefined && asked.length > 1;
    for (const [uri, each] of asked) {
      each.isAlone = isOneOfThem;
      if (isOneOfThem || listening.asked.get(uri) !== each) continue;
      listening.asked.delete(uri);
      each.reject(error);
    }
    return true;
  }
  // The stream that there is goes on, with more than is wanted.
  if (listening.stream !== undefined) return true;
  // One resource that the server will not hear of any more must not cost everything else.
  const isReducible = Object.keys(lists).length > 0 && resources.size > 0;
  listening.isReduced = rpcCode !== undefined && !listening.isReduced && isReducible;
  loseStream(listening, `could not be opened: ${error.rawMessage}`);
  return false;
}

function loseStream(listening: Listening, how: string): void {
  const { context, onGap } = listening;
  const { serverId, onDiagnostic } = context;
  const message = `the change stream of server ${JSON.stringify(serverId)} ${how}; it will be opened again`;
  // Told once per gap, however often opening fails within it; when the stream is back, there is a
  // second listing to be had.
  if (!listening.missedSome) {
    onDiagnostic({ kind: "stream-lost", serverId, message });
    onGap();
  }
  listening.missedSome = true;
}

function notOffered(serverId: string): HostsideError {
  const message = `server ${JSON.stringify(serverId)} does not tell of changes of this resource`;
  return new HostsideError(message, { code: "unsupported_operation", serverId });
}

function closedError(serverId: string): HostsideError {
  const message = `the connection to server ${JSON.stringify(serverId)} was closed`;
  return new HostsideError(message, { code: "closed", serverId });
}

function notWanted(serverId: string): HostsideError {
  const message = `changes of a resource of server ${JSON.stringify(serverId)} are not wanted any more`;
  return new HostsideError(message, { code: "aborted", serverId });
}
