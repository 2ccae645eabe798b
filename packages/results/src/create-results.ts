import { createMemoryLock, createMemoryStore, type CallContext, type ToolOutcome } from "@hostside/core";
import { assertKnownOptions, quoteText, reportUncaught, utf8Length } from "@hostside/core/implement";
import { presentError } from "./errors/present-error.ts";
import { createHandles, ownerOf, type Handles, type KeptItem } from "./keep/create-handles.ts";
import { createKeeper, type KeepFailure, type Keeper } from "./keep/create-keeper.ts";
import { randomName } from "./keep/sink-room.ts";
import { presentAndKeep, type KeepingParts } from "./present-and-keep.ts";
import { assertSettled } from "./present/assert-settled.ts";
import { member } from "./present/member.ts";
import { readPresentOptions, type PresentSettings } from "./present/present-options.ts";
import type { Presented } from "./presented.ts";
import { createReader, type Reader } from "./read/create-reader.ts";
import { presentAnswer } from "./read/present-answer.ts";
import type { ReadAnswer, ReadRequest } from "./read/read-answer.ts";
import { parseRequest } from "./read/read-request.ts";
import { createResultsReadTool, type ResultsReadTool } from "./read/results-read-tool.ts";
import type { PresentContext, ResultPresenter } from "./result-presenter.ts";
import { assertResultsOptions, readBounds, type ResultsOptions } from "./results-options.ts";
import { delimitersFor } from "./present/delimiters.ts";

/** Presents results, and keeps what is too big for a model. */
export interface Results extends ResultPresenter {
  /**
   * What a model gets of a result: the same as `present(outcome, "blocks")`, and each notice says
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
   * seconds. What was kept stays in the sink until that is closed or it is too old. Results are
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
 */
export function createResults(options: ResultsOptions): Results {
  assertResultsOptions(options);
  const parts = createParts(options);
  const { settings, toolName, reader, keptBy, handles, keeper } = parts;
  let isClosed = false;

  const read = async (request: ReadRequest, context: CallContext | undefined, signal: AbortSignal | undefined) => {
    if (isClosed) return closedAnswer;
    return reader.read(request, { owner: ownerOf(context ?? {}, keptBy), signal });
  };
  return {
    async present(outcome, presentContext = {}) {
      // A context in its place would be ignored: everybody who names no conversation would share
      // the handle.
      assertKnownOptions("present()", presentContext, { context: true, signal: true });
      assertSettled("present()", outcome);
      return presentAnswer(outcome, toolName, settings) ?? (await presentAndKeep(outcome, presentContext, parts));
    },
    presentError: (error) => presentError(error, "blocks", { delimiters: settings.delimiters }),
    tool: createResultsReadTool({
      name: toolName,
      read: (request, { context, signal }) => read(request, context, signal),
    }),
    async read(request, { context, signal } = {}) {
      const parsed = parseRequest({ ...request });
      if (parsed.kind === "bad") throw new TypeError(`read(): ${parsed.problem}`);
      return read(parsed.request, context, signal);
    },
    async forget(whose = {}) {
      assertKnownOptions("forget()", whose, { conversation: true, principal: true });
      await handles.forget(ownerOf(whose, keptBy).scope);
    },
    async close() {
      isClosed = true;
      await keeper.close();
    },
  };
}

const closedAnswer: ReadAnswer = {
  kind: "failed",
  reason: "unavailable",
  message: "Nothing that was kept can be read any more.",
};

interface ResultsParts extends KeepingParts {
  readonly settings: PresentSettings;
  readonly toolName: string;
  readonly handles: Handles;
  readonly keeper: Keeper;
  readonly reader: Reader;
}

function createParts(options: ResultsOptions): ResultsParts {
  const { sink, toolName = "results_read" } = options;
  const { maxTextBytes, maxBlocks, media, audience, delimiters } = options;
  const shown = { maxTextBytes, maxBlocks, media, audience, delimiters };
  const settings = readPresentOptions("createResults()", shown);
  const { ttlMs, maxHandles, maxKeptBytes: maxBytes } = readBounds(options);
  const { store = createMemoryStore(), lock = createMemoryLock() } = options;
  const handles = createHandles({ store, lock, sink, ttlMs, maxHandles, maxBytes });
  const keptBy = randomName();
  const onFailure = (failure: KeepFailure): void => report(failure, options.onDiagnostic);
  return {
    settings,
    toolName,
    handles,
    keptBy,
    keeper: createKeeper({ sink, handles, maxBytes, keptBy, onFailure, tool: toolName }),
    reader: createReader({
      sink,
      handles,
      reachable: keptBy,
      media: { types: settings.mediaTypes, maxItemBytes: settings.maxItemBytes },
      roomFor: (item) => roomFor(item, settings),
    }),
  };
}

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
  const { open, close } =
    delimiters === undefined
      ? { open: "", close: "" }
      : delimitersFor({ serverId, toolName, qualifiedName: "" }, delimiters);
  return Math.max(16, maxTextBytes - headBytes - utf8Length(open + close));
}
