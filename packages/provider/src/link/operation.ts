import type {
  Connection,
  HostsideError,
  JsonObject,
  ServerOperation,
  ServerPeer,
  ServerRecord,
  ServerSpec,
} from "@hostside/core";
import { clock, askForMeta, serverTypeOf, tell } from "@hostside/core/implement";

/**
 * Announces something that begins; `undefined`: nobody listens, or nobody wants to hear more of it.
 */
export type AnnounceOperation = (operation: Omit<ServerOperation, "observe">) => OperationObserver | undefined;

/** Hears what becomes of an operation. */
export type OperationObserver = Parameters<ServerOperation["observe"]>[0];

/** The listener for operations. None of it may throw. */
export interface OperationHost {
  /** Called with what is over. */
  onRecord(record: ServerRecord): void;
  /** Called with what begins; `undefined` when nobody wants to know. */
  announcer(): AnnounceOperation | undefined;
}

/** The parts for operations. */
export interface OperationInit {
  readonly spec: ServerSpec;
  readonly host: OperationHost;
}

/** Something that is being done with a server. Its time runs from now on. */
export class Operation {
  readonly #kind: ServerRecord["operation"];
  readonly #init: OperationInit;
  readonly #from: number;
  #observer: OperationObserver | undefined;
  #isAnnounced = false;

  constructor(kind: ServerRecord["operation"], init: OperationInit) {
    this.#kind = kind;
    this.#init = init;
    this.#from = clock.now();
  }

  /**
   * Announces it, once. To be called in the turn of whoever caused it. A session is not announced.
   */
  announce(): void {
    const { spec, host } = this.#init;
    if (this.#isAnnounced || this.#kind === "session") return;
    this.#isAnnounced = true;
    this.#observer = host.announcer()?.({ serverId: spec.id, operation: this.#kind, startedAt: this.#startedAt() });
  }

  /** Returns what goes along with a request of it. Announces it. */
  meta(): JsonObject | undefined {
    this.announce();
    return this.#observer && askForMeta(this.#observer);
  }

  /** Records that it is over. */
  end(peer: ServerPeer, end?: HostsideError | { readonly toolCount: number }): void {
    this.announce();
    const { spec, host } = this.#init;
    const record: ServerRecord = {
      serverId: spec.id,
      operation: this.#kind,
      startedAt: this.#startedAt(),
      durationMs: clock.now() - this.#from,
      peer,
      ...(end !== undefined && ("toolCount" in end ? end : { error: end })),
    };
    tell(this.#observer?.onRecord, record);
    host.onRecord(record);
  }

  #startedAt(): number {
    return Math.round(clock.date() - (clock.now() - this.#from));
  }
}

const schemePorts: ReadonlyMap<string, number> = new Map([
  ["http:", 80],
  ["https:", 443],
]);

/** How a server is spoken with, for records; `connection` is absent where nobody answered. */
export function describePeer(
  spec: ServerSpec,
  session: number,
  connection?: Pick<Connection, "server" | "sessionId">,
): ServerPeer {
  const { era, protocolVersion, httpMode } = connection?.server ?? {};
  const peer = {
    transport: serverTypeOf(spec),
    ...(era !== undefined && { era }),
    ...(protocolVersion !== undefined && { protocolVersion }),
    ...(httpMode !== undefined && { httpMode }),
    ...addressOf(spec),
    session,
  };
  // A secret, which nobody who lists or copies members may come by.
  return Object.freeze(Object.defineProperty(peer, "sessionId", { get: () => connection?.sessionId }));
}

function addressOf({ url }: ServerSpec): Pick<ServerPeer, "address" | "port"> {
  if (url === undefined || !URL.canParse(url)) return {};
  const { hostname, port, protocol } = new URL(url);
  const known = port === "" ? schemePorts.get(protocol) : Number(port);
  return { address: hostname.replace(/^\[|\]$/g, ""), ...(known !== undefined && { port: known }) };
}
