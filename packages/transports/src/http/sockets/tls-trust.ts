/**
 * Whom TLS trusts beside the authorities of the process, and who it says to be. All texts are PEM.
 */
export interface TlsTrust {
  readonly ca: readonly string[];
  /** The host's certificate and its key, for one origin. */
  readonly own?: { readonly origin: string; readonly cert: string; readonly key: string } | undefined;
}
