import type { AuthorizationRequest, ConnectionGuard, ServerCredentials, ServerSpec } from "@hostside/core";
import type { HeadersFor } from "./exchange/request-headers.ts";
import type { Fetch } from "./exchange/fetch-exchange.ts";

/** How HTTP is done; the same for all servers of a connector. */
export interface HttpOptions {
  /**
   * Does the requests instead of the runtime's own HTTP, for proxies and tests. Default: HTTP/1.1
   * by undici's client on Node, elsewhere the global `fetch`. With a `fetch`, connecting has no
   * deadline of its own, and the limits that the `fetch` has of its own apply.
   */
  readonly fetch?: Fetch | undefined;
  /**
   * By which proxy servers and authorization servers are reached, on Node and without a `fetch`:
   * the URL of one that speaks HTTP, with a user name and a password if it wants them;
   * `"environment"` for what `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` say, in
   * capitals or small letters. Never for this machine itself. A proxy that is down or refuses is
   * `unreachable`, outcome `not-sent`. Default `false`: none.
   */
  readonly proxy?: "environment" | false | (string & {}) | undefined;
  /**
   * Certificates (PEM) of authorities to trust beside those that Node trusts, which are its own and
   * those of `NODE_EXTRA_CA_CERTS`; on Node and without a `fetch`. A server with a certificate of
   * its own making is trusted by that. Default: none.
   */
  readonly ca?: string | readonly string[] | undefined;
  /**
   * Decides where connections may go and which programs may be started: asked for each request to a
   * server, to its authorization server and for documents about them, for the address of each
   * connection, and before each start. A refused request, connection or start fails with
   * `not_allowed`. On Node without a `fetch` of the host's or a proxy, the address is the one that
   * is connected to; elsewhere it is not known, and the guard hears so. Not asked about `memory`
   * and `custom`, which are code of the host's own. Default: everything is allowed, as befits a
   * developer's own machine.
   */
  readonly guard?: ConnectionGuard | undefined;
  /**
   * Gives the credentials of a server with `auth`. The same object each time for the same server
   * and principal.
   */
  readonly authProvider?:
    | ((spec: ServerSpec, request: AuthorizationRequest) => ServerCredentials | undefined)
    | undefined;
  /**
   * Headers of the host's own for one HTTP request to a server, such as the tenant that a call is
   * for; asked for each, before it leaves, so it should be quick. Beside the spec's, and instead of
   * those of the same name. Credentials go only to `https:` and loopback addresses, and are masked
   * wherever a server echoes them. A request whose headers are malformed, or are the transport's or
   * its credentials' own, fails with `internal_error` and is not sent. Default none.
   */
  readonly headersFor?: HeadersFor | undefined;
}

/** How a `fetch` for authorization servers connects. */
export interface AuthorizationFetchOptions extends Pick<HttpOptions, "ca" | "proxy"> {
  /** The server that it is for: its `tls` counts, and its id is in errors. Default: no server. */
  readonly server?: ServerSpec | undefined;
}
