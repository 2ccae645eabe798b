/**
 * What an app may load and connect to: origins, such as `https://cdn.example.com` or
 * `wss://*.example.com`. An empty list allows none.
 */
export interface AppPolicy {
  /** For requests (`connect-src`). */
  readonly connectDomains: readonly string[];
  /** For scripts, styles, pictures, fonts and media. */
  readonly resourceDomains: readonly string[];
  /** For frames in it (`frame-src`). */
  readonly frameDomains: readonly string[];
  /** For the base of its links (`base-uri`). */
  readonly baseUriDomains: readonly string[];
}

/** What an app would like to use of the device. */
export type AppPermission = "camera" | "microphone" | "geolocation" | "clipboardWrite";

/**
 * A page of a server's, for a sandboxed frame of the host
 * (https://github.com/modelcontextprotocol/ext-apps). Everything in it is the server's: untrusted,
 * for users, and never for a model.
 */
export interface App {
  /** Whose it is, and whose tools it may call. */
  readonly serverId: string;
  readonly uri: string;
  /** The page, whole. */
  readonly html: string;
  /** As the server says; `text/html;profile=mcp-app`, or there is a problem. */
  readonly mimeType?: string;
  /** What the server asks for, without what is no origin. The host decides. */
  readonly csp: AppPolicy;
  /** What the server asks for. */
  readonly permissions: readonly AppPermission[];
  /** The host name that it would like for itself, in the host's own form. */
  readonly domain?: string;
  readonly prefersBorder?: boolean;
  /** What could not be used as it came, in words for a developer: the first 100. */
  readonly problems: readonly string[];
}
