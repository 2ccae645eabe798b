import {
  HostsideError,
  type CallContext,
  type CallOptions,
  type ElicitationRequest,
  type ElicitationResult,
  type JsonObject,
  type ToolOrigin,
  type ToolOutcome,
} from "@hostside/core";
import type { Gateway, GatewayOptions, GatewayTools } from "@hostside/gateway";
import { createManualClock, type ManualClock } from "../../../test/manual-clock.ts";
import { connectRaw, connectSession, envelope, type RawClient } from "./raw-client.ts";
import { serveTools, tool } from "./static-world.ts";

/** What one run of the tool `job` does next: as a test says. */
export interface Job {
  readonly signal: AbortSignal;
  readonly end: (text: string) => void;
  readonly fail: (message: string) => void;
  /** As a server of tasks says it of its own. */
  readonly say: (status: string, message?: string) => void;
  readonly step: (message: string) => void;
  /** Asks the user, as a question of its server would come. */
  readonly ask: (message: string) => Promise<string>;
  /** The same, where only the conversation is known that the question is of. */
  readonly askSomebody: Job["ask"];
}

/** A gateway in front of a server whose calls a test holds. */
export interface TaskWorld {
  readonly gateway: Gateway;
  readonly clock: ManualClock;
  readonly jobs: Job[];
  /** Ends it, without waiting for what goes on. */
  readonly close: () => Promise<void>;
}

/**
 * Opens it. A call of `job` is one of its server's tasks from the start, one of `call` is none by
 * itself.
 */
export function openTaskWorld(options: Partial<GatewayOptions> = {}): TaskWorld {
  const clock = createManualClock();
  const jobs: Job[] = [];
  const { gateway, toolbox } = serveTools([tool("job", () => ""), tool("call", () => "")], {
    clock,
    open({ view }) {
      const tools = toolbox.view(view);
      const call: GatewayTools["call"] = (name, args, given = {}) => {
        if (!tools.has(name)) return tools.call(name, args, given);
        return new Promise((resolve, reject) => {
          const context = { ...view.context, ...given.context };
          const askUser = (question: ElicitationRequest, signal: AbortSignal) => gateway.elicit(question, signal);
          jobs.push(holdJob({ name, given: { ...given, signal: given.signal, context }, resolve, reject, askUser }));
        });
      };
      const definitions: GatewayTools["tools"] = () =>
        tools.tools().map((definition) => ({ ...definition, origin: originOf(definition.name) }));
      const find = (name: string) => definitions().find((definition) => definition.name === name);
      return { tools: { ...tools, call, find, tools: definitions } };
    },
    ...options,
  });
  return {
    gateway,
    clock,
    jobs,
    async close() {
      const closing = gateway.close("test over", { drainMs: 1 });
      clock.advance(1);
      await closing;
    },
  };
}

function originOf(toolName: string): ToolOrigin {
  return { serverId: "shop", toolName, qualifiedName: `mcp::shop::${toolName}` };
}

interface Held {
  readonly name: string;
  readonly given: CallOptions;
  readonly resolve: (outcome: ToolOutcome) => void;
  readonly reject: (reason: Error) => void;
  readonly askUser: (question: ElicitationRequest, signal: AbortSignal) => Promise<ElicitationResult>;
}

function holdJob({ name, given, resolve, reject, askUser }: Held): Job {
  const { signal = new AbortController().signal, observer, onProgress, context = {} } = given;
  signal.addEventListener("abort", () => reject(new HostsideError("aborted", { code: "aborted" })));
  if (name === "job") observer?.onTask?.({ status: "working" });
  const ask = async (message: string, whose: CallContext): Promise<string> => {
    const params = { message, requestedSchema: { type: "object" } };
    const question = { serverId: "shop", mode: "form", message, params, context: whose } as const;
    const { action, content } = await askUser(question, signal);
    return `${action} ${JSON.stringify(content ?? null)}`;
  };
  const origin = originOf(name);
  return {
    signal,
    end(text) {
      const content = [{ type: "text", text }] as const;
      resolve({ content, isError: false, origin, raw: { content } });
    },
    fail: (message) => reject(new HostsideError(message, { code: "server_error" })),
    say: (status, message) => observer?.onTask?.({ status, message }),
    step: (message) => onProgress?.({ progress: 1, message }),
    ask: (message) => ask(message, context),
    askSomebody: (message) => ask(message, { conversation: context.conversation }),
  };
}

/** A client that can have tasks, in either era, over pipes in this process. */
export interface TaskClient extends RawClient {
  /** Sends a request, and resolves with the result; rejects with the error. */
  ask(method: string, params?: JsonObject): Promise<JsonObject>;
  /** Calls a tool so that it is a task, and resolves with that. */
  start(name?: string, task?: JsonObject): Promise<JsonObject>;
}

/** Both. */
export const eras = ["legacy", "modern"] as const;

const capabilities = { elicitation: { form: {} }, extensions: { "io.modelcontextprotocol/tasks": {} } };

/** Connects one. */
export async function connectTasks(gateway: Gateway, era: (typeof eras)[number]): Promise<TaskClient> {
  const client = era === "legacy" ? await connectSession(gateway, { capabilities }) : connectRaw(gateway);
  const meta = era === "legacy" ? {} : { _meta: envelope(capabilities) };
  const ask = async (method: string, params: JsonObject = {}): Promise<JsonObject> => {
    const { result, error } = await client.request(method, { ...params, ...meta });
    if (error !== undefined) throw Object.assign(new Error("refused"), error);
    return result as JsonObject;
  };
  return {
    ...client,
    ask,
    async start(name = "job", task = {}) {
      const created = await ask("tools/call", { name, ...(era === "legacy" && { task }) });
      return era === "legacy" ? (created["task"] as JsonObject) : created;
    },
  };
}
