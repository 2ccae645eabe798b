import { HostsideError, type Connection, type ServerInfo, type ServerSpec } from "@hostside/core";
import { copySpec, untilAborted } from "@hostside/core/implement";
import { checkSpec } from "./check-spec.ts";
import { createAssumedChannel, type AssumedChannel } from "../connection/assumed-channel.ts";
import { openChangeStream, type ChangeStream } from "../connection/change-stream.ts";
import { createConnection } from "../connection/connection.ts";
import type { Elicitor } from "../wire/elicitor.ts";
import type { ListeningClient } from "../message/listening-client.ts";
import { readServerInfo, type ClaimedServerInfo } from "../message/read-server-info.ts";
import type { RequestChannel } from "../message/request-channel.ts";
import { chooseResourceSource, ResourceSubscriptions } from "../connection/resource-subscriptions.ts";
import { wantedLists, ChangeRouter } from "../connection/route-changes.ts";
import {
  createClientChannel,
  describeClient,
  hasPerRequestStream,
  isConnected,
  isListeningClient,
} from "../sdk/client-channel.ts";
import { openCustom, type CustomClient } from "../sdk/open-custom.ts";
import type { Transport } from "../message/transport.ts";
import { assumeServer } from "../handshake/assume-server.ts";
import { tryAttempts, type AttemptsInit } from "../handshake/try-attempts.ts";
import { openTransport } from "./open-transport.ts";
import { createConnectionContext, type ConnectionContext, type ConnectionContextInit } from "./connection-context.ts";
import type { StartLimiter } from "./start-limiter.ts";
import { ChangeReporter } from "../wire/report-changes.ts";
import type { WireEvents } from "../wire/wire.ts";

/** What {@linkcode openConnection} needs besides the spec. */
export interface OpenConnectionInit extends Omit<ConnectionContextInit, "onStarted"> {
  /** Of all servers of the connector. */
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
    return await openInTime(createConnectionContext(spec, { ...init, onStarted: () => turn?.() }));
  } finally {
    turn?.();
    // What is told of a start lives as long as the connection.
    turn = undefined;
  }
}

async function openInTime(context: ConnectionContext): Promise<Connection> {
  const { spec, hooks, deadline } = context;
  try {
    if (spec.type !== "custom") return await openOverWire(context);
    const opened = await openCustom(spec, context);
    return "client" in opened
      ? await openOverClient(context, opened.client)
      : await openOverWire(context, opened.transport);
  } catch (error) {
    hooks.silence();
    throw error;
  } finally {
    deadline.dispose();
  }
}

/** A session that can be used, in parts. */
interface Opened {
  readonly claimed: ClaimedServerInfo;
  readonly channel: RequestChannel;
  /** The same, while nothing was heard of the server. */
  readonly assumed?: AssumedChannel | undefined;
  /** Absent for a client that has no change streams. */
  readonly listener: ListeningClient | undefined;
  readonly elicitor?: Elicitor | undefined;
  /** Each request is an exchange of its own. */
  readonly isHttp: boolean;
  readonly httpMode?: ServerInfo["httpMode"] | undefined;
  readonly life: Life;
  readonly changes: ChangeRouter;
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

async function openOverWire(context: ConnectionContext, firstTransport?: Transport): Promise<Connection> {
  const { spec, hooks, eraCache, known, lasting } = context;
  const life: Life = {};
  const changes = new ChangeRouter(hooks);
  // A program boots while the rest is made ready.
  const opening = firstTransport ?? (spec.command !== undefined ? beginOpening(context) : undefined);
  let unused = opening;
  const init: AttemptsInit = {
    context,
    events: eventsOf({ changes, onLog: hooks.onLog, life, forget: () => eraCache.forget(spec) }),
    onFailed: (error) => hooks.onFailed(error),
    async open(attempt) {
      const first = unused;
      unused = undefined;
      return first ?? openTransport(context, attempt);
    },
  };
  const { wire, claimed, elicitor, attempt } = await (
    known === undefined ? tryAttempts(init) : assumeServer(init, known.server)
  ).catch(async (error: unknown) => {
    await closeUnused(unused);
    throw error;
  });
  const { channel } = attempt;
  const assumed =
    known &&
    createAssumedChannel({
      context: lasting,
      channel: wire,
      onToolsChanged: () => hooks.onToolsChanged(),
      onOther: (error) => wire.leave(error),
    });
  return finish(context, {
    claimed,
    channel: assumed ?? wire,
    assumed,
    listener: wire,
    elicitor,
    isHttp: wire.hasPerRequestStream,
    httpMode: channel === "streamable" || channel === "sse" ? channel : undefined,
    life,
    changes,
  });
}

interface EventsInit {
  readonly changes: ChangeRouter;
  readonly onLog: WireEvents["onLog"];
  readonly life: Life;
  readonly forget: () => void;
}

// Made outside of what opens the connection, or all that has in hand would live as long as they do.
function eventsOf({ changes, onLog, life, forget }: EventsInit): WireEvents {
  return {
    changes,
    onLog,
    onDown: (error) => end(life, error),
    onForgotten({ code }) {
      // The server was replaced by one that speaks another revision.
      if (code === "unsupported_protocol") forget();
    },
  };
}

function beginOpening(context: ConnectionContext): Promise<Transport> {
  const opening = openTransport(context, { channel: "stdio", handshake: "probe" });
  // Told to whoever takes it.
  opening.catch(() => undefined);
  return opening;
}

async function closeUnused(opening: Transport | Promise<Transport> | undefined): Promise<void> {
  const transport = await Promise.resolve(opening).catch(() => undefined);
  await transport?.close();
}

async function openOverClient(context: ConnectionContext, client: CustomClient): Promise<Connection> {
  const { serverId, hooks } = context;
  const life: Life = {};
  const changes = new ChangeRouter(hooks);
  const reporter = new ChangeReporter(context.lasting, changes);
  const channel = createClientChannel({
    context: context.lasting,
    client,
    onNotification: (method, params) => void reporter.receive(method, params),
    onEnd: () => end(life, connectionClosed(serverId)),
    onClose: () => reporter.close(),
  });
  if (isConnected(client)) {
    const listener = isListeningClient(client) ? client : undefined;
    const isHttp = hasPerRequestStream(client);
    return finish(context, { claimed: describeClient(client), channel, listener, isHttp, life, changes });
  }
  const error = new HostsideError(
    `the client that "open" of server ${JSON.stringify(serverId)} returned is not connected`,
    {
      code: "handshake_failed",
      serverId,
    },
  );
  await channel.close(error, "not connected");
  throw error;
}

async function finish(
  context: ConnectionContext,
  { claimed, channel, assumed, listener, elicitor, isHttp, httpMode, life, changes }: Opened,
): Promise<Connection> {
  const { hooks, deadline, lasting } = context;
  const server: ServerInfo = {
    ...readServerInfo(claimed, { limits: context.settings.limits, redact: context.redact }),
    ...(httpMode !== undefined && { httpMode }),
  };
  const stream = openStream(context, { listener, server, changes, after: assumed?.confirmed });
  const { capabilities } = server;
  const isModern = server.era === "modern";
  const source = chooseResourceSource({ context: lasting, capabilities, channel, stream, isModern });
  const resources = new ResourceSubscriptions(lasting, source);
  changes.begin(capabilities, resources);
  try {
    await untilAborted(stream?.ready ?? Promise.resolve(), deadline.signal);
    if (life.endedBy !== undefined) throw life.endedBy;
  } catch (cause) {
    stream?.close();
    await channel.close(connectionClosed(context.serverId), "the connection was not wanted any more");
    throw cause;
  }
  life.onEnd = (error) => {
    stream?.close(error);
    hooks.onDown(error);
  };
  return createConnection({
    context: lasting,
    server,
    channel,
    ...(assumed && { known: { tools: context.known?.tools ?? [], isAssumed: () => assumed.isAssumed } }),
    elicitor,
    onToolsChanged: () => hooks.onToolsChanged(),
    mirrorsParams: isHttp && isModern,
    resources,
    tasks: context.options.tasks === true,
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

function openStream(
  context: ConnectionContext,
  { listener, server, changes, after }: StreamInit,
): ChangeStream | undefined {
  if (server.era !== "modern" || listener === undefined) return undefined;
  return openChangeStream({
    context: context.lasting,
    client: listener,
    lists: wantedLists(server.capabilities, context.hooks),
    onGap: () => changes.onMissed(),
    after,
  });
}

interface StreamInit extends Pick<Opened, "listener" | "changes"> {
  readonly server: ServerInfo;
  readonly after: Promise<void> | undefined;
}

function connectionClosed(serverId: string): HostsideError {
  const message = `the connection to server ${JSON.stringify(serverId)} closed`;
  return new HostsideError(message, { code: "connection_closed", serverId });
}
