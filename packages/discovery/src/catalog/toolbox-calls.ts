import {
  cleanText,
  HostsideError,
  type CallOptions,
  type Clock,
  type Diagnostic,
  type Interceptor,
  type ToolOutcome,
  type ToolProvider,
  type UnreadyGroup,
} from "@hostside/core";
import {
  assertCallOptions,
  assertToolName,
  foldCase,
  readCallArguments,
  unknownToolError,
  type AbsentServer,
} from "@hostside/core/implement";
import type { Inspector } from "./inspect-definitions.ts";
import { createServersWait, type ServersWait } from "./wait-for-servers.ts";
import { waitForTool, findAbsent } from "./wait-for-tool.ts";
import type { ToolboxTool } from "./catalog-snapshot.ts";
import { callRoutes } from "./call-routes.ts";
import { changedTool, quarantinedTool } from "./changed-tool.ts";
import type { FollowedSources } from "./follow-sources.ts";
import { readUnready } from "./read-provider.ts";
import { localOrigin } from "./static-tool.ts";
import { createToolboxLayers, findAgain } from "./toolbox-layers.ts";

/** What a call is made with. */
export interface GivenCall {
  readonly args: unknown;
  readonly options: CallOptions;
}

/** The way of every call through a toolbox. */
export interface ToolboxCalls {
  /** Throws `closed` after {@linkcode close}. */
  assertOpen(name?: string): void;
  /**
   * Throws `closed` after {@linkcode close}, and `TypeError` for options that nothing reads. Before
   * everything else that a call does.
   */
  check(name: string, options: CallOptions): void;
  /** Calls a tool by name, and waits for it if it is not there yet and the options say so. */
  call(name: string, call: GivenCall): Promise<ToolOutcome>;
  /**
   * Calls a tool of the catalog, with options that were checked. What is known at once to be wrong
   * is thrown at once.
   */
  run(tool: ToolboxTool, name: string, call: GivenCall): Promise<ToolOutcome>;
  /** Waits for a tool; returns the options with the time that is left. */
  waitForTool(name: string, options: CallOptions): Promise<CallOptions>;
  /** Waits for servers of which no tool is known yet. */
  waitForServers(wait: ServersWait): Promise<void>;
  /** Groups whose servers are not ready. */
  unready(): readonly UnreadyGroup[];
  /** Refuses further calls, those that wait for a tool, and those that are with an interceptor. */
  close(reason: string | undefined): void;
}

/** What calls are made with. */
export interface ToolboxCallsInit {
  readonly live: FollowedSources;
  readonly inspector: Inspector;
  readonly providers: readonly ToolProvider[];
  readonly interceptors: readonly Interceptor[];
  readonly clock: Clock;
  readonly onDiagnostic: (diagnostic: Diagnostic) => void;
}

/** Makes the calls of one toolbox. */
export function createToolboxCalls(init: ToolboxCallsInit): ToolboxCalls {
  const { live, inspector, providers, clock, onDiagnostic } = init;
  const ending = new AbortController();
  let closedBy: string | undefined;
  const assertOpen = (name?: string): void => {
    if (ending.signal.aborted) throw closedError(closedBy, name);
  };
  /** Whether it is known what becomes of a call by this name. */
  const has = (name: string): boolean => {
    const { tools, quarantined } = live.read();
    return tools.has(foldCase(name)) || quarantined.has(foldCase(name));
  };
  const layers = createToolboxLayers(init);
  const absent = (): readonly AbsentServer[] => findAbsent(calls.unready(), live.read());
  const waitForServers = createServersWait({ providers, clock, absent, ended: ending.signal });

  const calls: ToolboxCalls = {
    assertOpen,
    check(name, options) {
      assertOpen(typeof name === "string" ? name : undefined);
      assertToolName("call()", name);
      assertCallOptions(options);
    },
    async call(name, { args, options: given }) {
      calls.check(name, given);
      const options = given.wait === "servers" && !has(name) ? await calls.waitForTool(name, given) : given;
      const catalog = live.read();
      const tool = catalog.tools.get(foldCase(name));
      if (tool !== undefined) return calls.run(tool, name, { args, options });
      const held = catalog.quarantined.get(foldCase(name));
      if (held !== undefined) throw quarantinedTool(held.definition);
      throw unknownToolError(name, catalog.definitions, findAbsent(calls.unready(), catalog));
    },
    // Not async: each promise more is paid with every call, and both callers are async.
    run(tool, name, { args, options: given }) {
      const { selected } = given;
      const original = selected && inspector.originalOf(selected);
      // A provider compares; here nothing could have changed but whose tool it is.
      if (original?.origin?.serverId && tool.route.kind === "static") throw changedTool(name, tool.definition);
      return callRoutes(tool, {
        args: readCallArguments(args, tool.definition.origin ?? localOrigin(name)),
        options: original === undefined || original === selected ? given : { ...given, selected: original },
        clock,
        send: layers.send,
        isOnOffer: (fallback) => findAgain(live.read(), fallback) !== undefined,
        onFallback: (error) => onDiagnostic(fallbackTaken(name, tool, error)),
      });
    },
    async waitForTool(name, options) {
      const left = await waitForTool(name, options, { providers, clock, has, absent, ended: ending.signal });
      assertOpen(name);
      return left;
    },
    async waitForServers(wait) {
      await waitForServers(wait);
      assertOpen();
    },
    unready: () => providers.flatMap(readUnready),
    close(reason) {
      if (ending.signal.aborted) return;
      closedBy = reason;
      ending.abort();
      layers.end(closedError(reason));
    },
  };
  return calls;
}

function fallbackTaken(toolName: string, { definition }: ToolboxTool, error: HostsideError): Diagnostic {
  const message = `"${definition.name}" is out of service, its fallback is called: ${error.message}`;
  return { kind: "fallback", serverId: "", toolName, message };
}

function closedError(reason: string | undefined, toolName?: string): HostsideError {
  const why = reason === undefined ? "" : `: ${cleanText(reason, 200)}`;
  return new HostsideError(`the toolbox is closed${why}`, { code: "closed", toolName, outcome: "not-sent" });
}
