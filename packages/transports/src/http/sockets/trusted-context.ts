import type { SecureContext } from "node:tls";
import type { TlsTrust } from "./tls-trust.ts";

/**
 * Makes the trust of TLS connections: everybody that this process trusts anyway, with
 * `NODE_EXTRA_CA_CERTS`, and the authorities of `trust` (each text with one or more). The host's
 * own certificate goes to its origin alone. Made when first needed, and once. Throws what Node
 * throws for a text that has no certificate.
 */
export function createTrustedContext({ ca, own }: TlsTrust = { ca: [] }): (url: URL) => SecureContext | undefined {
  const made = new Map<boolean, SecureContext>();
  return ({ origin }) => {
    const isOwn = origin === own?.origin;
    if (ca.length === 0 && !isOwn) return undefined;
    const known = made.get(isOwn);
    if (known !== undefined) return known;
    const { createSecureContext } = process.getBuiltinModule("node:tls");
    const context = createSecureContext({
      ca: [...knownAuthorities(), ...ca],
      ...(isOwn && { cert: own?.cert, key: own?.key }),
    });
    made.set(isOwn, context);
    return context;
  };
}

function knownAuthorities(): readonly string[] {
  const tls: Tls = process.getBuiltinModule("node:tls");
  return tls.getCACertificates?.("default") ?? [...tls.rootCertificates, ...extraAuthorities()];
}

interface Tls {
  readonly rootCertificates: readonly string[];
  /** From Node 22.15 on. */
  readonly getCACertificates?: (kind: "default") => readonly string[];
}

// What Node itself has read at its start, and gives nobody.
function extraAuthorities(): readonly string[] {
  const file = process.env["NODE_EXTRA_CA_CERTS"];
  if (file === undefined || file === "") return [];
  try {
    return [process.getBuiltinModule("node:fs").readFileSync(file, "utf8")];
  } catch {
    // Node has warned about it.
    return [];
  }
}
