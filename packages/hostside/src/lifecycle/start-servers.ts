import { cleanText, HostsideError, isHostsideError, type Diagnostic, type ServerSpec } from "@hostside/core";
import { clock, formatMs } from "@hostside/core/implement";
import { createToolbox } from "@hostside/discovery";
import type { McpProvider } from "@hostside/provider";
import type { HostOptions } from "../host-options.ts";
import { keepToBound, type Bound } from "./keep-to-bound.ts";

/** How long servers are waited for. */
export interface StartBounds extends Bound {
  /** In all, from `openedAt` on. */
  readonly timeoutMs: number;
  /** By the clock. */
  readonly openedAt: number;
}

/** What is started. */
export interface Sources extends Pick<HostOptions, "tools" | "providers"> {
  readonly provider: McpProvider;
  /** The servers of the provider. */
  readonly servers: readonly ServerSpec[];
  readonly report: (diagnostic: Diagnostic) => void;
}

/**
 * Starts all servers, and what was handed in, and waits for all that is on time. Rejects for what
 * is required.
 */
export async function startSources(sources: Sources, bounds: StartBounds): Promise<void> {
  await Promise.all([startServers(sources, bounds), startHandedIn(sources, bounds)]);
}

/**
 * Starts all servers, and waits for those that are on time. Rejects as `init()` does for a required
 * one that fails, and with `connect_timeout` for one that is late. With a time of 0 nobody is
 * waited for, and no failure is more than a status.
 */
async function startServers({ provider, servers }: Sources, bounds: StartBounds): Promise<void> {
  const { timeoutMs, openedAt, signal } = bounds;
  if (timeoutMs <= 0) {
    provider.init({ timeoutMs: 1 }).catch(() => undefined);
    return;
  }
  const required = servers.filter((spec) => spec.required === true && spec.disabled !== true).map(({ id }) => id);
  const leftMs = Math.max(1, timeoutMs - (clock.now() - openedAt));
  const started = provider.init({ timeoutMs: leftMs, signal });
  if (required.length === 0) return started;
  const late = (): HostsideError => lateError("required servers", timeoutMs, missingOf(provider, required));
  await keepToBound(started, { signal, timeoutMs: leftMs }, late);
}

function missingOf(provider: McpProvider, required: readonly string[]): readonly string[] {
  const missing = provider.statuses().filter(({ id, state }) => required.includes(id) && state !== "ready");
  return missing.map(({ id, state, error }) => `${JSON.stringify(id)} (${error?.message ?? state})`);
}

function lateError(who: string, timeoutMs: number, missing: readonly string[] = []): HostsideError {
  const what = `${who} did not come up within ${formatMs(timeoutMs)} (timeoutMs of createHost())`;
  return new HostsideError(missing.length === 0 ? what : `${what}: ${missing.join("; ")}`, {
    code: "connect_timeout",
    details: { operation: "createHost", timeoutMs },
  });
}

// A provider ends the wait for servers that are not required by itself.
const graceMs = 1000;
const fatalCodes: ReadonlySet<string> = new Set(["refresh_failed", "connect_timeout", "aborted"]);

/**
 * Initialises tools and providers that were handed in. Rejects with `refresh_failed` or
 * `connect_timeout` when a provider requires a server that failed or is late, and with `aborted`.
 * Reports every other failure as a diagnostic. A time of 0 waits for nothing and rejects nothing.
 */
async function startHandedIn(
  { tools = [], providers = [], report }: Sources,
  { timeoutMs, openedAt, signal }: StartBounds,
): Promise<void> {
  const leftMs = Math.max(1, timeoutMs - (clock.now() - openedAt));
  const init = { timeoutMs: leftMs, signal };
  const tell = (error: unknown, what: object): void =>
    report({ kind: "defect", serverId: "", message: reasonOf(error), ...what });
  const started = tools.map(async (tool) => {
    if (tool.init === undefined) return;
    const alone = createToolbox({ tools: [tool] });
    await alone.init(init).catch((error: unknown) => tell(error, { toolName: tool.definition.name }));
  });
  for (const provider of providers) {
    const who = `provider ${JSON.stringify(provider.name)}`;
    const bound = { signal, timeoutMs: leftMs + graceMs };
    const ready = keepToBound(
      Promise.resolve(init).then((given) => provider.init(given)),
      bound,
      () => lateError(`servers that ${who} requires`, timeoutMs),
    );
    started.push(
      ready.catch((error: unknown) => {
        if (timeoutMs > 0 && isHostsideError(error) && fatalCodes.has(error.code)) throw error;
        tell(error, { message: `${who} could not be started: ${reasonOf(error)}` });
      }),
    );
  }
  if (timeoutMs > 0) await Promise.all(started);
}

function reasonOf(error: unknown): string {
  if (!isHostsideError(error)) return cleanText(error instanceof Error ? error.message : String(error), 300);
  const { rawMessage, code, cause } = error;
  return cleanText(code === "internal_error" ? `${rawMessage}: ${reasonOf(cause)}` : rawMessage, 300);
}
