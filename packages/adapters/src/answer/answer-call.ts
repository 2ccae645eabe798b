import {
  isHostsideError,
  HostsideError,
  type CallContext,
  type CallOptions,
  type Progress,
  type ToolDefinition,
  type ToolOutcome,
} from "@hostside/core";
import { assertCallContext, assertSignal, quoteText, toolsMeant } from "@hostside/core/implement";
import { present, presentError, type Presented, type PresentContext, type ResultPresenter } from "@hostside/results";
import type { DeclaredTool, Declaration } from "../declare/declare-tools.ts";
import type { AdapterOptions, ToolSource } from "../declare/tool-source.ts";
import { requiresApproval, withAnswer } from "./approvals.ts";
import { decodeTexts, readArguments } from "./read-arguments.ts";

/** A call as a model makes it. */
export interface ModelCall {
  /** The name that was declared. */
  readonly name: string;
  /** An object, or its JSON text. Absent, `null` and an empty text are `{}`. */
  readonly args?: unknown;
  /** The id that the model gave it, which an approval is bound to. Default empty. */
  readonly id?: string | undefined;
  /**
   * Says whether a person approved it, or the ids of the calls that were. Default: nobody was
   * asked.
   */
  readonly approved?: boolean | readonly string[] | undefined;
  /** Aborts the call; its server is told. */
  readonly signal?: AbortSignal | undefined;
  /** On whose behalf, and with which approval; goes before the adapter's own, member by member. */
  readonly context?: CallContext | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** With what calls are answered. */
export interface AnswerMeans extends Pick<AdapterOptions, "presenter" | "context"> {
  readonly source: ToolSource;
}

/** The result of a call. */
export interface AnsweredCall {
  readonly presented: Presented;
  /** Absent where the call gave none: it was refused, or failed. */
  readonly outcome?: ToolOutcome | undefined;
}

/**
 * Runs one call of a model and presents what comes of it. Whatever goes wrong is presented, too,
 * with `isError`: a tool that is not declared, arguments that are not valid JSON or not what the
 * schema asks for, a tool that changed since it was declared, a server that is gone. Rejects in two
 * cases: with `aborted` when `call.signal` aborted; and with a `TypeError` for a signal or context
 * of a wrong type, before anything is sent. Two calls are two calls, whatever ids the model gave
 * them.
 */
export async function answerCall(
  find: (name: string) => DeclaredTool,
  call: ModelCall,
  means: AnswerMeans,
): Promise<AnsweredCall> {
  const { source } = means;
  const presenter = means.presenter ?? source.presenter ?? plainPresenter;
  const { signal, onProgress } = call;
  if (signal !== undefined) assertSignal(signal);
  if (call.context !== undefined) assertCallContext(call.context);
  const context = means.context === undefined ? call.context : { ...means.context, ...call.context };
  const presentContext: PresentContext = { context, signal };
  let outcome: ToolOutcome;
  let definition: ToolDefinition;
  try {
    const tool = find(call.name);
    ({ definition } = tool);
    const read = readArguments(tool, call.args);
    // Where a person is asked, the framework may show the arguments as the model wrote them.
    const args = requiresApproval(source, tool) ? read : decodeTexts(read, definition.inputSchema);
    const answered = withAnswer(tool, { ...call, args, context }, source);
    const options: CallOptions = { signal, context: answered, selected: definition };
    outcome = await source.call(definition.name, args, onProgress === undefined ? options : { ...options, onProgress });
  } catch (error) {
    if (signal?.aborted === true) throw abortedError(error, call.name);
    return { presented: presentFailure(error, presenter, presentContext) };
  }
  try {
    return { presented: ensureBlocks(await presenter.present(outcome, presentContext)), outcome };
  } catch (error) {
    if (signal?.aborted === true) throw abortedError(error, call.name);
    return { presented: plainPresenter.presentError(unshownResult(error, definition), presentContext), outcome };
  }
}

function presentFailure(error: unknown, presenter: ResultPresenter, presentContext: PresentContext): Presented {
  try {
    return ensureBlocks(presenter.presentError(error, presentContext));
  } catch {
    // A call without an answer ends the conversation.
    return plainPresenter.presentError(error, presentContext);
  }
}

// The call ran. A model that reads that it failed calls again.
function unshownResult(cause: unknown, { name, origin }: ToolDefinition): HostsideError {
  const { serverId, toolName = name } = origin ?? {};
  const message = "the tool was called and answered, and its result cannot be shown; do not call it again for that";
  return new HostsideError(message, { code: "internal_error", serverId, toolName, cause });
}

function abortedError(error: unknown, name: string): unknown {
  if (isHostsideError(error, "aborted")) return error;
  return new HostsideError(`the call of ${quoteText(name)} was aborted`, { code: "aborted", cause: error });
}

// A presenter that keeps nothing: what is too big is cut, and a notice says so.
const plainPresenter: ResultPresenter = {
  present: (outcome) => present(outcome, "blocks"),
  presentError: (error) => presentError(error, "blocks"),
};

// A call without content is refused by some APIs, and tells a model nothing.
function ensureBlocks(presented: Presented): Presented {
  if (presented.blocks.length > 0) return presented;
  const { isError } = presented;
  const text = isError ? "[the call failed, and nothing is shown of why]" : "[nothing of the result is shown]";
  return { ...presented, blocks: [{ type: "text", part: isError ? "error" : "notice", text }] };
}

const maxNameLength = 200;
const finders: ReadonlySet<string> = new Set(["tools_search", "tools_select"]);

/** Finds a declared tool. Throws {@linkcode undeclaredError} otherwise. */
export function findDeclared(declaration: Declaration, name: unknown): DeclaredTool {
  const asked = typeof name === "string" ? name : "";
  const tool = declaration.find(asked);
  if (tool === undefined) throw undeclaredError(declaration, asked);
  return tool;
}

/**
 * The `unknown_tool` for a tool that is not declared, in words for a model: why it was left out, or
 * declared names that are near, and that `tools_search` or `tools_select` of the toolbox may bring
 * it.
 */
export function undeclaredError({ tools, leftOut }: Declaration, asked: string): HostsideError {
  const reason = leftOut.find(({ definition }) => definition.name === asked)?.reason;
  const why = reason === undefined ? adviceOf(tools, asked) : `: ${reason}`;
  return new HostsideError(`tool ${quoteText(asked, maxNameLength)} is not declared${why}`, {
    code: "unknown_tool",
    toolName: asked.slice(0, maxNameLength).toWellFormed(),
  });
}

function adviceOf(tools: readonly DeclaredTool[], asked: string): string {
  const near = toolsMeant(
    asked,
    tools.map(({ name, definition }) => ({ ...definition, name })),
  );
  const meant = near.length === 0 ? "" : `; did you mean ${namesOf(near)}?`;
  // A server's tool by such a name finds nothing of the toolbox.
  const helpers = tools.filter(({ definition: { name, origin } }) => finders.has(name) && !origin?.serverId);
  if (helpers.length > 0) return `${meant || ";"} ${namesOf(helpers)} brings a tool that is there and not declared`;
  if (meant !== "") return meant;
  return tools.length === 0 ? "; no tool is" : "; call one that is, by its exact name";
}

function namesOf(tools: readonly { readonly name: string }[]): string {
  return tools.map(({ name }) => quoteText(name, maxNameLength)).join(" or ");
}
