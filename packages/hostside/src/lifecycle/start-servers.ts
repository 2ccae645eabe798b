import { cleanText, HostsideError, isHostsideError, type Diagnostic, type ServerSpec } from "@hostside/core";
import { clock, formatMs } from "@hostside/core/implement";
import { createToolbox } from "@hostside/discovery";
import type { McpProvider } from "@hostside/provider";
import type { HostOptions } from "../contract/host-options.ts";
import { keepToBound } from "./keep-to-bound.ts";

/** The sources to start, and how long they are waited for. */
export interface Starting extends Pick<HostOptions, "tools" | "providers" | "signal"> {
  readonly provider: McpProvider;
  /** The servers of the provider. */
  readonly servers: readonly ServerSpec[];
  readonly report: (diagnostic: Diagnostic) => void;
  /** In all, from `openedAt` on. 0 waits for nothing, and rejects nothing. */
  readonly timeoutMs: number;
  /** By the clock. */
  readonly openedAt: number;
}

/**
 * Starts all servers, and what was handed in, and waits for all that is on time. Rejects for what
 * is required.
 */
export async function startSources(starting: Starting): Promise<void> {
  const { timeoutMs, openedAt } = starting;
  const leftMs = Math.max(1, timeoutMs - (clock.now() - openedAt));
  const handedIn = [...startTools(starting, leftMs), ...startProviders(starting, leftMs)];
  await Promise.all([startServers(starting, leftMs), ...(timeoutMs > 0 ? handedIn : [])]);
}

/**
 * Starts all servers, and waits for those that are on time. Rejects as `init()` does for a required
 * one that fails, and with `connect_timeout` for one that is late.
 */
async function startServers({ provider, servers, ...bounds }: Starting, leftMs: number): Promise<void> {
  const { timeoutMs, signal } = bounds;
  if (timeoutMs <= 0) {
    provider.init({ timeoutMs: 1 }).catch(() => undefined);
    return;
  }
  const required = servers.filter((spec) => spec.required === true && spec.disabled !== true).map(({ id }) => id);
  const started = provider.init({ timeoutMs: leftMs, signal });
  // Every conversation needs it, and Node loads it at its first use: while the programs start.
  setImmediate(() => crypto);
  if (required.length === 0) return started;
  const late = (): HostsideError => {
    const missing = provider.statuses().filter(({ id, state }) => required.includes(id) && state !== "ready");
    const said = missing.map(({ id, state, error }) => `${JSON.stringify(id)} (${error?.message ?? state})`);
    return lateError("required servers", timeoutMs, said);
  };
  await keepToBound(started, { signal, timeoutMs: leftMs }, late);
}

function lateError(who: string, timeoutMs: number, missing: readonly string[] = []): HostsideError {
  const what = `${who} did not come up within ${formatMs(timeoutMs)} (timeoutMs of createHost())`;
  return new HostsideError(missing.length === 0 ? what : `${what}: ${missing.join("; ")}`, {
    code: "connect_timeout",
    details: { operation: "createHost", timeoutMs },
  });
}

/** Initialises tools that were handed in. A failure is a diagnostic. */
function startTools({ tools = [], report, signal }: Starting, timeoutMs: number): readonly Promise<void>[] {
  return tools.map(async (tool) => {
    if (tool.init === undefined) return;
    const alone = createToolbox({ tools: [tool] });
    await alone.init({ timeoutMs, signal }).catch((error: unknown) => {
      const toolName = tool.definition.name;
      report({ kind: "defect", serverId: "", message: reasonOf(error), toolName });
    });
  });
}

// A provider ends the wait for servers that are not required by itself.
const graceMs = 1000;
const fatalCodes: ReadonlySet<string> = new Set(["refresh_failed", "connect_timeout", "aborted"]);

/**
 * Initialises providers that were handed in. Rejects with `refresh_failed` or `connect_timeout`
 * when a provider requires a server that failed or is late, and with `aborted`. Every other failure
 * is a diagnostic.
 */
function startProviders(starting: Starting, leftMs: number): readonly Promise<void>[] {
  const { providers = [], report, timeoutMs, signal } = starting;
  return providers.map(async (provider) => {
    const who = `provider ${JSON.stringify(provider.name)}`;
    const init = async (): Promise<unknown> => provider.init({ timeoutMs: leftMs, signal });
    const late = (): HostsideError => lateError(`servers that ${who} requires`, timeoutMs);
    try {
      await keepToBound(init(), { signal, timeoutMs: leftMs + graceMs }, late);
    } catch (error) {
      if (timeoutMs > 0 && isHostsideError(error) && fatalCodes.has(error.code)) throw error;
      const message = `${who} could not be started: ${reasonOf(error)}`;
      report({ kind: "defect", serverId: "", message });
    }
  });
}

function reasonOf(error: unknown): string {
  if (!isHostsideError(error)) return cleanText(error instanceof Error ? error.message : String(error), 300);
  const { rawMessage, code, cause } = error;
  return cleanText(code === "internal_error" ? `${rawMessage}: ${reasonOf(cause)}` : rawMessage, 300);
}
