// Apart from what uses it, because the types of the package reach it, and they do without Node's.

/**
 * The authorities that TLS trusts beside those of the process, and the host's own certificate. All
 * texts are PEM.
 */
export interface TlsTrust {
  readonly ca: readonly string[];
  /** The host's certificate and its key, for one origin. */
  readonly own?: { readonly origin: string; readonly cert: string; readonly key: string } | undefined;
}
