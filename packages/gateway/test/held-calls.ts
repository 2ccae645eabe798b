import {
  HostsideError,
  type CallContext,
  type CallOptions,
  type ElicitationRequest,
  type ElicitationResult,
  type ToolOrigin,
  type ToolOutcome,
} from "@hostside/core";
import type { Gateway, GatewayOptions, GatewayTools } from "@hostside/gateway";
import { useManualClock, type ManualClock } from "../../../test/manual-clock.ts";
import { connectRaw, type RawClient } from "./raw-client.ts";
import { serveTools, tool } from "./static-world.ts";

/** What one run of the tool `call` does next: as a test says. */
export interface Job {
  readonly signal: AbortSignal;
  readonly end: (text: string) => void;
  readonly fail: (message: string) => void;
  /** Asks the user, as a question of its server would come. */
  readonly ask: (message: string) => Promise<string>;
  /** The same, where only the conversation is known that the question is of. */
  readonly askSomebody: Job["ask"];
}

/** A gateway in front of a server whose calls a test holds. */
export interface HeldCalls {
  readonly gateway: Gateway;
  readonly clock: ManualClock;
  readonly jobs: Job[];
  /** Ends it, without waiting for what goes on. */
  readonly close: () => Promise<void>;
}

/** Opens it. */
export function openHeldCalls(options: Partial<GatewayOptions> = {}): HeldCalls {
  const clock = useManualClock();
  const jobs: Job[] = [];
  const { gateway, toolbox } = serveTools([tool("call", () => "")], {
    open({ view }) {
      const tools = toolbox.view(view);
      const call: GatewayTools["call"] = (name, args, given = {}) => {
        if (!tools.has(name)) return tools.call(name, args, given);
        return new Promise((resolve, reject) => {
          const context = { ...view.context, ...given.context };
          const askUser = (question: ElicitationRequest, signal: AbortSignal) => gateway.elicit(question, signal);
          jobs.push(holdJob({ given: { ...given, signal: given.signal, context }, resolve, reject, askUser }));
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
  readonly given: CallOptions;
  readonly resolve: (outcome: ToolOutcome) => void;
  readonly reject: (reason: Error) => void;
  readonly askUser: (question: ElicitationRequest, signal: AbortSignal) => Promise<ElicitationResult>;
}

function holdJob({ given, resolve, reject, askUser }: Held): Job {
  const { signal = new AbortController().signal, context = {} } = given;
  signal.addEventListener("abort", () => reject(new HostsideError("aborted", { code: "aborted" })));
  const ask = async (message: string, whose: CallContext): Promise<string> => {
    const params = { message, requestedSchema: { type: "object" } };
    const question = { serverId: "shop", mode: "form", message, params, context: whose } as const;
    const { action, content } = await askUser(question, signal);
    return `${action} ${JSON.stringify(content ?? null)}`;
  };
  const origin = originOf("call");
  return {
    signal,
    end(text) {
      const content = [{ type: "text", text }] as const;
      resolve({ content, isError: false, origin, raw: { content } });
    },
    fail: (message) => reject(new HostsideError(message, { code: "server_error" })),
    ask: (message) => ask(message, context),
    askSomebody: (message) => ask(message, { conversation: context.conversation }),
  };
}

/** Connects a client of 2026-07-28. */
export function connectHeld(gateway: Gateway): RawClient {
  return connectRaw(gateway);
}
