import type { SecureContext } from "node:tls";

/**
 * Whom TLS connections trust: everybody that this process trusts anyway, with
 * `NODE_EXTRA_CA_CERTS`, and these authorities (PEM, each text with one or more). Made when it is
 * first needed, and once. Throws what Node throws for a text that has no certificate.
 */
export function createTrustedContext(ca: readonly string[]): () => SecureContext | undefined {
  let made: SecureContext | undefined;
  return () => {
    if (ca.length === 0) return undefined;
    const { createSecureContext } = process.getBuiltinModule("node:tls");
    return (made ??= createSecureContext({ ca: [...knownAuthorities(), ...ca] }));
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
