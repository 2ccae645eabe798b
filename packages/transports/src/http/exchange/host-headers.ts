import {
  cleanText,
  HostsideError,
  type CallContext,
  type HttpEntry,
  type JsonObject,
  type ServerSpec,
} from "@hostside/core";
import {
  isCredentialHeader,
  isHeaderName,
  isHeaderValue,
  isJsonObject,
  isReservedHeader,
  safeCause,
} from "@hostside/core/implement";
import type { TransportContext } from "../../context/transport-context.ts";

/** An HTTP request to a server, as far as a host's own headers may depend on it. */
export interface HeaderRequest {
  /**
   * The method of the MCP message in it; absent where there is none, as when a stream is opened or
   * a session ended.
   */
  readonly method?: string | undefined;
  /** The remote name of the tool that is called. */
  readonly toolName?: string | undefined;
  /** For whom the connection is. */
  readonly principal?: string | undefined;
  /** As the call or request had it. */
  readonly context?: CallContext | undefined;
}

/** What an HTTP request carries. */
export interface Carried {
  readonly message?: JsonObject | undefined;
  readonly callContext?: CallContext | undefined;
}

/** The headers that a host adds to one request. */
export type HeadersFor = (spec: ServerSpec, request: HeaderRequest) => Readonly<Record<string, string>> | undefined;

/** What {@linkcode createHostHeaders} goes by. */
export interface HostHeadersInit {
  readonly spec: HttpEntry & Pick<ServerSpec, "id">;
  readonly headersFor: HeadersFor;
  readonly context: TransportContext;
}

const longestExcerpt = 100;

/**
 * Asks the host for its headers of one request, and checks them: names and values must be legal,
 * and none may be one that the transport sets or that the connection has its credentials in. Values
 * of credentials are masked from then on wherever they are echoed. The function that this returns
 * throws `internal_error`, outcome `not-sent`, which names the header and not its value.
 */
export function createHostHeaders({
  spec,
  headersFor,
  context,
}: HostHeadersInit): (carried: Carried) => Readonly<Record<string, string>> {
  const { serverId, secrets, principal } = context;
  const { auth, bearerToken } = spec;
  const ownsAuthorization = auth !== undefined || bearerToken !== undefined;
  const refuse = (what: string, cause?: unknown): HostsideError =>
    new HostsideError(`headersFor() of server ${JSON.stringify(serverId)} ${what}; nothing was sent`, {
      code: "internal_error",
      serverId,
      outcome: "not-sent",
      ...(cause !== undefined && { cause: safeCause(cause, context.redact) }),
    });
  const check = (name: string, value: unknown): string => {
    const lower = name.toLowerCase();
    const shown = JSON.stringify(cleanText(name, longestExcerpt));
    if (!isHeaderName(name)) throw refuse(`gave ${shown}, which is no name of a header`);
    if (isReservedHeader(lower)) throw refuse(`gave ${shown}, which the transport sets`);
    if (lower === "authorization" && ownsAuthorization)
      throw refuse(`gave ${shown}, in which the connection has credentials of its own`);
    if (typeof value !== "string" || !isHeaderValue(value))
      throw refuse(`gave ${shown} a value that no header can carry`);
    if (isCredentialHeader(lower)) for (const part of [value, ...value.split(" ").slice(1)]) secrets.learn(part);
    return lower;
  };
  return (carried) => {
    const request = toHeaderRequest(carried, principal);
    let given: unknown;
    try {
      given = headersFor(spec, request);
    } catch (cause) {
      throw refuse("threw", cause);
    }
    if (given === undefined || given === null) return {};
    if (given instanceof Promise) given.catch(ignore);
    if (typeof given !== "object" || given instanceof Promise)
      throw refuse("answered something that is no object of headers");
    return Object.fromEntries(Object.entries(given).map(([name, value]) => [check(name, value), value]));
  };
}

function ignore(): void {
  // That it is a promise is what is reported.
}

function toHeaderRequest({ message, callContext }: Carried, principal: string | undefined): HeaderRequest {
  const method = message?.["method"];
  const params = message?.["params"];
  const toolName = method === "tools/call" && isJsonObject(params) ? params["name"] : undefined;
  return {
    ...(typeof method === "string" && { method }),
    ...(typeof toolName === "string" && { toolName }),
    ...(principal !== undefined && { principal }),
    ...(callContext !== undefined && { context: callContext }),
  };
}
