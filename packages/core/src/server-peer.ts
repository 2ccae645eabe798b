import type { ProtocolEra } from "./protocol-era.ts";
import type { ServerType } from "./server-spec.ts";

/**
 * How a host spoke with a server: plain data, the same object for all that went over one session.
 */
export interface ServerPeer {
  readonly transport: ServerType;
  /** Absent where nobody answered. */
  readonly era?: ProtocolEra;
  readonly protocolVersion?: string;
  /** Over HTTP: which of its two transports was spoken. */
  readonly httpMode?: "streamable" | "sse";
  /** Host name or address of a server behind a URL. */
  readonly address?: string;
  /** Its port; that of the scheme where the URL names none. */
  readonly port?: number;
  /** Number of the session at its server, since that was registered: 1 is the first attempt. */
  readonly session: number;
  /**
   * The protocol's own id of the session, where it has one. Whoever has it may speak in the
   * session: a secret, and so it does not show when members are listed, nor in JSON.
   */
  readonly sessionId?: string | undefined;
}
