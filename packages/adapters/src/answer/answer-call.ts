import {
  isHostsideError,
  HostsideError,
  type CallContext,
  type CallOptions,
  type ToolDefinition,
  type ToolOutcome,
} from "@hostside/core";
import { assertCallContext, assertSignal, quoteText } from "@hostside/core/implement";
import { present, presentError, type Presented, type PresentContext, type ResultPresenter } from "@hostside/results";
import type { DeclaredTool, Declaration } from "../declared-tool.ts";
import type { ToolSource } from "../tool-source.ts";
import { restoreArguments, withAnswer } from "./approvals.ts";
import { undeclaredToolError } from "./undeclared-tool-error.ts";

/** A call as a model makes it. */
export interface ModelCall {
  /** The name that was declared. */
  readonly name: string;
  /** An object, or its JSON text. Absent, `null` and an empty text are `{}`. */
  readonly args?: unknown;
  /** The id that the model gave it, which an approval is bound to. Default empty. */
  readonly id?: string | undefined;
  /** Whether a person approved it, or the ids of the calls that were. Default: nobody was asked. */
  readonly approved?: boolean | readonly string[] | undefined;
  /** Aborts the call; its server is told. */
  readonly signal?: AbortSignal | undefined;
  /** On whose behalf, and with which approval; goes before the adapter's own, member by member. */
  readonly context?: CallContext | undefined;
}

/** With what calls are answered. */
export interface AnswerMeans {
  readonly source: ToolSource;
  /** Default: that of the source, else a pure one. */
  readonly presenter?: ResultPresenter | undefined;
  readonly context?: Omit<CallContext, "approval"> | undefined;
  readonly timeoutMs?: number | undefined;
}

/**
 * Runs one call of a model and presents what comes of it. Whatever goes wrong is presented, too,
 * with `isError`: a tool that is not declared, arguments that are no JSON or not what the schema
 * asks for, a tool that changed since it was declared, a server that is gone. Rejects in two cases:
 * with `aborted` when `call.signal` aborted, because nobody waits for an answer then; and with a
 * `TypeError` for a signal or context of a wrong type, before anything is sent. Two calls are two
 * calls, whatever ids the model gave them.
 */
export async function answerCall(declaration: Declaration, call: ModelCall, means: AnswerMeans): Promise<Presented> {
  const presenter = means.presenter ?? means.source.presenter ?? plainPresenter;
  const { signal } = call;
  if (signal !== undefined) assertSignal(signal);
  if (call.context !== undefined) assertCallContext(call.context);
  const context = means.context === undefined ? call.context : { ...means.context, ...call.context };
  const presentContext: PresentContext = { context, signal };
  let outcome: ToolOutcome;
  let tool: DeclaredTool | undefined;
  try {
    tool = findTool(declaration, call.name);
    const args = restoreArguments(tool, call.args, means.source);
    const answered = withAnswer(tool, { ...call, args, context }, means.source);
    const options: CallOptions = { signal, context: answered, timeoutMs: means.timeoutMs, selected: tool.definition };
    outcome = await means.source.call(tool.definition.name, args, options);
  } catch (error) {
    if (signal?.aborted === true) throw abortedError(error, call.name);
    return presentFailure(error, presenter, presentContext);
  }
  try {
    return ensureBlocks(await presenter.present(outcome, presentContext));
  } catch (error) {
    if (signal?.aborted === true) throw abortedError(error, call.name);
    return plainPresenter.presentError(unshownResult(error, tool.definition), presentContext);
  }
}

function presentFailure(error: unknown, presenter: ResultPresenter, presentContext: PresentContext): Presented {
  try {
    return ensureBlocks(presenter.presentError(error, presentContext));
  } catch {
    // A call without an answer ends the conversation, and what went wrong with the call can be said
    // all the same.
    return plainPresenter.presentError(error, presentContext);
  }
}

// The call ran: whoever reads that it failed calls again.
function unshownResult(cause: unknown, { name, origin }: ToolDefinition): HostsideError {
  const { serverId, toolName = name } = origin ?? {};
  const message = "the tool was called and answered, and its result cannot be shown; do not call it again for that";
  return new HostsideError(message, { code: "internal_error", serverId, toolName, cause });
}

function findTool(declaration: Declaration, name: unknown): DeclaredTool {
  const asked = typeof name === "string" ? name : "";
  const tool = declaration.find(asked);
  if (tool !== undefined) return tool;
  throw undeclaredToolError(declaration, asked);
}

function abortedError(error: unknown, name: string): unknown {
  if (isHostsideError(error, "aborted")) return error;
  return new HostsideError(`the call of ${quoteText(name)} was aborted`, { code: "aborted", cause: error });
}

/**
 * A presenter with the defaults of `@hostside/results`, which keeps nothing: what is too big is
 * cut, and a notice says so.
 */
const plainPresenter: ResultPresenter = {
  present: (outcome) => present(outcome, "blocks"),
  presentError: (error) => presentError(error, "blocks"),
};

/**
 * A presentation as it is, or with a notice where it has no blocks: no API takes an answer in which
 * there is nothing.
 */
function ensureBlocks(presented: Presented): Presented {
  if (presented.blocks.length > 0) return presented;
  const { isError } = presented;
  const text = isError ? "[the call failed, and nothing is shown of why]" : "[nothing of the result is shown]";
  return { ...presented, blocks: [{ type: "text", part: isError ? "error" : "notice", text }] };
}
