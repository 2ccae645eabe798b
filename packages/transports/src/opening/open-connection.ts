import { HostsideError, type Connection, type JsonObject, type ServerInfo, type ServerSpec } from "@hostside/core";
import { copySpec, isJsonObject, untilAborted } from "@hostside/core/implement";
import { ChangeStream, createListen, type ChangeFilter } from "../connection/change-stream.ts";
import { createConnection } from "../connection/connection.ts";
import { chooseResourceSource, ResourceSubscriptions } from "../connection/resource-subscriptions.ts";
import type { SafeHooks } from "../context/safe-hooks.ts";
import { createAssumedChannel } from "../handshake/assumed-channel.ts";
import { assumeServer, tryAttempts, type AttemptsInit, type Established } from "../handshake/attempts.ts";
import { readServerInfo } from "../message/read-server-info.ts";
import type { Transport } from "../message/transport.ts";
import { openCustom } from "../sdk/open-custom.ts";
import type { WireEvents } from "../wire/wire.ts";
import { checkSpec } from "./connector-options.ts";
import { createConnectionContext, type ConnectionContext, type ConnectionContextInit } from "./connection-context.ts";
import { openTransport } from "./open-transport.ts";
import type { StartLimiter } from "./start-limiter.ts";

/** The input of {@linkcode openConnection} besides the spec. */
export interface OpenConnectionInit extends Omit<ConnectionContextInit, "onStarted"> {
  /** Limits the starts of all servers of the connector. */
  readonly starts: StartLimiter;
}

/**
 * From a spec to a live connection, within `timeouts.connectMs` from the turn of its server on.
 * Core's `Connector` says what it throws; nothing is left when it does.
 */
export async function openConnection(given: ServerSpec, init: OpenConnectionInit): Promise<Connection> {
  checkSpec(given);
  const spec = copySpec(given);
  // What needs no process needs no turn, and begins at once.
  const taken = spec.command !== undefined ? init.starts.acquire(spec.id, init) : undefined;
  let turn = taken instanceof Promise ? await taken : taken;
  try {
    const context = createConnectionContext(spec, { ...init, onStarted: () => turn?.() });
    return await openInTime(context).finally(context.dispose);
  } finally {
    turn?.();
    // What is told of a start lives as long as the connection.
    turn = undefined;
  }
}

async function openInTime(context: ConnectionContext): Promise<Connection> {
  const { hooks } = context;
  const life: Life = {};
  try {
    return await finish(context, await establish(context, life), life);
  } catch (error) {
    hooks.silence();
    throw error;
  }
}

/** Remembers that a session ended by itself, and tells whoever is interested by then. */
interface Life {
  endedBy?: HostsideError;
  onEnd?: (error: HostsideError) => void;
}

function end(life: Life, error: HostsideError): void {
  life.endedBy ??= error;
  life.onEnd?.(error);
}

async function establish(context: ConnectionContext, life: Life): Promise<Established> {
  const { spec, hooks, eraCache, known } = context;
  let unused: Transport | Promise<Transport> | undefined;
  if (spec.type === "custom") unused = await openCustom(spec, context);
  else if (spec.command !== undefined) {
    // A program boots while the rest is made ready.
    unused = openTransport(context, "stdio");
    // Told to whoever takes it.
    unused.catch(() => undefined);
  }
  const init: AttemptsInit = {
    context,
    events: eventsOf(hooks, life, () => eraCache.forget(spec)),
    async open({ channel }) {
      const first = unused;
      unused = undefined;
      return first ?? openTransport(context, channel);
    },
  };
  try {
    return await (known === undefined ? tryAttempts(init) : assumeServer(init, known.server));
  } catch (error) {
    const transport = await Promise.resolve(unused).catch(() => undefined);
    await transport?.close();
    throw error;
  }
}

// Made outside of what opens the connection, or all that has in hand would live as long as they do.
function eventsOf(hooks: SafeHooks, life: Life, forget: () => void): WireEvents {
  return {
    hooks,
    onDown: (error) => end(life, error),
    onForgotten({ code }) {
      // The server was replaced by one that speaks another revision.
      if (code === "unsupported_protocol") forget();
    },
  };
}

async function finish(
  { hooks, deadline, lasting, known, opening, options }: ConnectionContext,
  { claimed, wire, elicitor, attempt }: Established,
  life: Life,
): Promise<Connection> {
  const onToolsChanged = (): void => hooks.run("onToolsChanged");
  const assumed = known && createAssumedChannel(wire, { serverId: lasting.serverId, onToolsChanged });
  const channel = assumed ?? wire;
  const httpMode = attempt.channel === "streamable" || attempt.channel === "sse" ? attempt.channel : undefined;
  const server: ServerInfo = { ...readServerInfo(claimed, lasting), ...(httpMode !== undefined && { httpMode }) };
  const { capabilities, era } = server;
  const stream =
    era === "modern"
      ? new ChangeStream({
          context: lasting,
          listen: createListen(wire, lasting, opening),
          lists: wantedLists(capabilities, hooks),
          onGap: () => wire.changes.reportMissed(),
          after: assumed?.confirmed,
        })
      : undefined;
  const source = chooseResourceSource({ context: lasting, server, channel, stream });
  const resources = new ResourceSubscriptions(lasting, source);
  wire.changes.begin(capabilities, () => resources.uris());
  try {
    await untilAborted(stream?.ready ?? Promise.resolve(), deadline.signal);
    if (life.endedBy !== undefined) throw life.endedBy;
  } catch (cause) {
    stream?.close();
    await channel.close(connectionClosed(lasting.serverId), "the connection was not wanted any more");
    throw cause;
  }
  life.onEnd = (error) => {
    stream?.close(error);
    hooks.run("onDown", error);
  };
  return createConnection({
    context: lasting,
    server,
    channel,
    ...(known && assumed && { known: { tools: known.tools, isAssumed: () => assumed.isAssumed } }),
    elicitor,
    onToolsChanged,
    mirrorsParams: wire.hasPerRequestStream && era === "modern",
    resources,
    tasks: options.tasks === true,
    onDead(error) {
      void channel.close(error, "the server did not answer");
      end(life, error);
    },
    onClose() {
      hooks.silence();
      stream?.close();
    },
  });
}

/**
 * Chooses what a server of 2026-07-28 is asked to tell of: what it says that it can, as far as
 * there is a hook for it.
 */
function wantedLists(
  capabilities: JsonObject,
  hooks: Pick<SafeHooks, "has">,
): Omit<ChangeFilter, "resourceSubscriptions"> {
  const announces = (kind: string): boolean => {
    const declared = capabilities[kind];
    return isJsonObject(declared) && declared["listChanged"] === true;
  };
  const wantsAll = hooks.has("onNotification");
  return {
    ...(announces("tools") && { toolsListChanged: true }),
    ...(announces("resources") && (wantsAll || hooks.has("onResourcesChanged")) && { resourcesListChanged: true }),
    ...(announces("prompts") && (wantsAll || hooks.has("onPromptsChanged")) && { promptsListChanged: true }),
  };
}

function connectionClosed(serverId: string): HostsideError {
  const message = `the connection to server ${JSON.stringify(serverId)} closed`;
  return new HostsideError(message, { code: "connection_closed", serverId });
}
