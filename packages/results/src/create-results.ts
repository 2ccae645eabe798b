import {
  createMemoryLock,
  createMemoryStore,
  type CallContext,
  type Diagnostic,
  type Lock,
  type Store,
  type ToolOutcome,
} from "@hostside/core";
import {
  assertKnownOptions,
  quoteText,
  readWholeNumber,
  reportUncaught,
  runSoon,
  utf8Length,
  type Fields,
} from "@hostside/core/implement";
import { presentError } from "./errors/present-error.ts";
import type { BlobSink } from "./keep/blob-sink.ts";
import { createHandles, scopeOf, type KeptItem } from "./keep/create-handles.ts";
import { createKeeper, type Keeper, type KeepFailure, type KeepWork } from "./keep/create-keeper.ts";
import { randomName } from "./keep/sink-room.ts";
import { delimitersFor } from "./present/delimiters.ts";
import {
  presentFields,
  readPresentOptions,
  type PresentOptions,
  type PresentSettings,
} from "./present/present-options.ts";
import { assertSettled, member } from "./present/untrusted.ts";
import type {
  Omission,
  OmissionReason,
  OutcomePiece,
  PresentContext,
  Presented,
  ResultPresenter,
} from "./presented.ts";
import { presentRead } from "./present/present.ts";
import { readOutcome } from "./present/read-outcome.ts";
import { createReader } from "./read/create-reader.ts";
import {
  createResultsReadTool,
  parseRequest,
  presentAnswer,
  type ReadAnswer,
  type ReadRequest,
  type ResultsReadTool,
} from "./read/results-read-tool.ts";

/** Presents results, and keeps what is too big for a model. */
export interface Results extends ResultPresenter {
  /**
   * Presents a result to a model: the same as `present(outcome, "blocks")`, and each notice says
   * by which handle the rest can be read, or why it was not kept. Never rejects, whatever the sink,
   * the store or the result; takes no longer than 5 seconds beside its own work, and keeps nothing
   * any more when the signal aborts. Only unknown fields and a promise of an outcome are a
   * `TypeError`.
   */
  present(outcome: ToolOutcome, presentContext?: PresentContext): Promise<Presented>;
  presentError(error: unknown, presentContext?: PresentContext): Presented;
  /**
   * `results_read`, for `createToolbox({ tools })`: by it the model reads and searches what was
   * kept.
   */
  readonly tool: ResultsReadTool;
  /**
   * The same for the host: the next page, matches, bytes, or why there are none. Rejects with the
   * reason of the signal, and with a `TypeError` for a request that is none.
   */
  read(request: ReadRequest, presentContext?: PresentContext): Promise<ReadAnswer>;
  /**
   * Forgets all that was kept for a conversation of a principal, and nothing of another one's
   * conversation of that name; without `principal`, for calls that named the conversation alone,
   * and without `conversation`, for those that named none. Rejects as the store and the sink do,
   * and with a `TypeError` for what is no such object.
   */
  forget(whose?: Pick<CallContext, "conversation" | "principal">): Promise<void>;
  /**
   * Keeps and reads nothing any more; what is under way is given up, and waited for at most 5
   * seconds. Kept results stay in the sink until it is closed or they are too old. Results are
   * presented as before. Never rejects. Idempotent.
   */
  close(): Promise<void>;
}

/**
 * A presenter that keeps what is too big. A handle is 32 random hexadecimal digits and belongs to
 * the conversation and the principal of the call (`context`): for any other it is as good as
 * unknown. A call that names no conversation has its handles in this presenter alone, for calls of
 * the same principal that name none either: so either name conversations, or make a presenter for
 * each.
 *
 * Starts nothing and waits for nothing until a result is too big. Throws a `TypeError` that names
 * the option which breaks a rule.
 *
 * @example
 * const results = createResults({ sink: createMemorySink() });
 * const toolbox = createToolbox({ tools: [results.tool], providers: [provider] });
 * const { blocks } = await results.present(outcome, { context });
 */
export function createResults(options: ResultsOptions): Results {
  assertResultsOptions(options);
  const { sink, toolName = "results_read", showPaths = false, onDiagnostic } = options;
  const { maxTextBytes, maxBlocks, media, delimiters } = options;
  const settings = readPresentOptions("createResults()", { maxTextBytes, maxBlocks, media, delimiters });
  const { store = createMemoryStore(), lock = createMemoryLock() } = options;
  const ttlMs = readWholeNumber(options.ttlMs, "ttlMs", { least: 1, otherwise: 3_600_000 });
  const maxHandles = readWholeNumber(options.maxHandles, "maxHandles", { least: 1, most: 1000, otherwise: 64 });
  const maxBytes = readWholeNumber(options.maxKeptBytes, "maxKeptBytes", { least: 1, otherwise: 64 * 1024 * 1024 });
  const handles = createHandles({ store, lock, sink, ttlMs, maxHandles, maxBytes });
  let ownName: string | undefined;
  // Made for the first result: cryptography takes longer to load than everything here to make.
  const keptBy = (): string => (ownName ??= randomName());
  const onFailure = (failure: KeepFailure): void => report(failure, onDiagnostic);
  const keeper = createKeeper({ sink, handles, maxBytes, onFailure, tool: toolName, showPaths });
  const reader = createReader({
    sink,
    handles,
    media: { types: settings.mediaTypes, maxItemBytes: settings.maxItemBytes },
    roomFor: (item) => roomFor(item, settings),
  });
  let isClosed = false;
  const read = async (request: ReadRequest, { context = {}, signal }: PresentContext): Promise<ReadAnswer> =>
    isClosed ? closedAnswer : reader.read(request, { scope: scopeOf(context, keptBy()), signal });
  return {
    async present(outcome, presentContext = {}) {
      // A context in its place would be ignored: everybody who names no conversation would share
      // the handle.
      assertKnownOptions("present()", presentContext, { context: true, signal: true });
      assertSettled("present()", outcome);
      const { context = {}, signal } = presentContext;
      const work = { scope: scopeOf(context, keptBy()), conversation: context.conversation, signal };
      return (
        presentAnswer(outcome, toolName, settings) ??
        (await presentAndKeep(outcome, settings, { toolName, keeper, work }))
      );
    },
    presentError: (error) => presentError(error, "blocks", { delimiters: settings.delimiters }),
    tool: createResultsReadTool(toolName, read),
    async read(request, presentContext = {}) {
      const parsed = parseRequest({ ...request });
      if ("problem" in parsed) throw new TypeError(`read(): ${parsed.problem}`);
      return read(parsed.request, presentContext);
    },
    async forget(whose = {}) {
      assertKnownOptions("forget()", whose, { conversation: true, principal: true });
      await handles.forget(scopeOf(whose, keptBy()));
    },
    async close() {
      isClosed = true;
      await keeper.close();
    },
  };
}

// What is bad, unknown or not for the model is not kept either.
const keptReasons: ReadonlySet<OmissionReason> = new Set(["too-large", "too-many", "type-not-allowed", "wrong-type"]);
const mostBlocks = 100_000;
const mostRounds = 3;

/**
 * Presents an outcome, keeps what that leaves out, and presents it with the handles. Never rejects.
 */
async function presentAndKeep(
  outcome: ToolOutcome,
  settings: PresentSettings,
  { toolName, keeper, work }: { readonly toolName: string; readonly keeper: Keeper; readonly work: KeepWork },
): Promise<Presented> {
  const shown = readOutcome(outcome, settings.maxBlocks);
  let presented = presentRead(shown, settings);
  if (!presented.omitted.some(isWorthKeeping)) return presented;

  // What is left out may be large: others have their turn between the steps.
  const nextTurn = (): Promise<void> => new Promise((resolve) => void runSoon(resolve));
  await nextTurn();
  const safe = readOutcome(outcome, mostBlocks, shown);
  // Notices are longer with a handle in them, so that something else may no longer fit: what it is
  // is found before, and kept as well.
  let missing = piecesOf(presentRead(shown, { ...settings, kept: { tool: toolName, of: () => longest } }));
  const kept = keeper.begin(safe, work);
  try {
    for (let round = 0; round < mostRounds && missing.length > 0; round += 1) {
      await nextTurn();
      await kept.keep(missing);
      await nextTurn();
      presented = presentRead(shown, { ...settings, kept });
      missing = piecesOf(presented).filter((piece) => kept.of(piece) === undefined);
    }
    return presented;
  } finally {
    kept.end();
  }
}

/** No handle, no count and no reason has more characters. */
const longest = { handle: "f".repeat(32), characters: 1_000_000_000 };

function isWorthKeeping({ reason }: Omission): boolean {
  return keptReasons.has(reason);
}

function piecesOf({ omitted }: Presented): readonly OutcomePiece[] {
  return omitted.filter(isWorthKeeping).flatMap(({ piece }) => piece ?? []);
}

const closedAnswer: ReadAnswer = {
  kind: "failed",
  reason: "unavailable",
  message: "Nothing that was kept can be read any more.",
};

/** Says what failed without the message of an error, which may hold what nobody should read. */
function report({ origin, why, cause }: KeepFailure, onDiagnostic: ResultsOptions["onDiagnostic"]): void {
  const found = member(cause, "code") ?? member(cause, "name");
  const code = typeof found === "string" && /^\w{1,40}$/.test(found) ? ` (${found})` : "";
  const tool = quoteText(origin?.toolName ?? "");
  try {
    onDiagnostic?.({
      kind: "not-kept",
      serverId: origin?.serverId ?? "",
      message: `a result of tool ${tool} was not kept whole: ${why}${code}`,
    });
  } catch (error) {
    reportUncaught(error);
  }
}

// Our own words before the text: places, a handle, a type and the name of the tool, in ASCII.
const headBytes = 420;

/**
 * How many bytes of text one answer of `results_read` may have, so that the presenter that shows it
 * has nothing to cut.
 */
function roomFor({ serverId, toolName }: KeptItem, { maxTextBytes, delimiters }: PresentSettings): number {
  const { open, close } = delimitersFor({ serverId, toolName, qualifiedName: "" });
  return Math.max(16, maxTextBytes - headBytes - (delimiters ? utf8Length(open + close) : 0));
}

/** Options about what a presenter shows, and where it keeps the rest. */
export interface ResultsOptions extends PresentOptions {
  /** Keeps what is too big. Its maker closes it. */
  readonly sink: BlobSink;
  /**
   * The store of handles. Default: in memory, until the process ends. Processes that share a store
   * can read what the others kept, if they share the sink, too.
   */
  readonly store?: Store | undefined;
  /**
   * Makes a change to a conversation's handles exclusive. Goes with `store`: processes that
   * share one share the other. Default: in this process.
   */
  readonly lock?: Lock | undefined;
  /**
   * How long a handle is good, in milliseconds. Default an hour; no longer than the sink keeps a
   * blob is of use.
   */
  readonly ttlMs?: number | undefined;
  /**
   * Handles of one conversation. Default 64; one more, and the oldest goes.
   */
  readonly maxHandles?: number | undefined;
  /**
   * Bytes of all that one conversation keeps. Default 64 MiB; more, and the oldest goes. So no
   * conversation takes all the room of a sink.
   */
  readonly maxKeptBytes?: number | undefined;
  /** The name of the tool. Default `results_read`. */
  readonly toolName?: string | undefined;
  /**
   * Says whether notices name the file that has what is kept, where the sink has files: for a model
   * with tools that read them. Default `false`.
   */
  readonly showPaths?: boolean | undefined;
  /** Hears of what could not be kept (`not-kept`). Must not throw. */
  readonly onDiagnostic?: ((diagnostic: Diagnostic) => void) | undefined;
}

const fields: Fields<ResultsOptions> = {
  ...presentFields,
  sink: true,
  store: true,
  lock: true,
  ttlMs: true,
  maxHandles: true,
  maxKeptBytes: true,
  toolName: true,
  showPaths: true,
  onDiagnostic: true,
};
const parts: Readonly<Record<string, readonly string[]>> = {
  sink: ["put", "read", "delete"],
  store: ["get", "set", "delete"],
  lock: ["withLock"],
};

/**
 * Refuses options that nothing reads and parts that cannot be called. Throws a `TypeError` that
 * names the field.
 */
export function assertResultsOptions(options: ResultsOptions): void {
  assertKnownOptions("createResults()", options, fields);
  for (const [name, members] of Object.entries(parts)) {
    const part: unknown = Reflect.get(options, name);
    if (part === undefined && name !== "sink") continue;
    const has = (member: string): boolean =>
      typeof part === "object" && part !== null && typeof Reflect.get(part, member) === "function";
    if (!members.every(has)) throw new TypeError(`${name} must have ${members.map((one) => `${one}()`).join(", ")}`);
  }
  if (options.onDiagnostic !== undefined && typeof options.onDiagnostic !== "function") {
    throw new TypeError("onDiagnostic must be a function");
  }
  const { toolName, showPaths } = options;
  if (showPaths !== undefined && typeof showPaths !== "boolean") throw new TypeError("showPaths must be true or false");
  if (toolName !== undefined && !(typeof toolName === "string" && /^[A-Za-z][\w-]{0,63}$/.test(toolName))) {
    throw new TypeError("toolName must be a letter and up to 63 letters, digits, _ and -");
  }
}
