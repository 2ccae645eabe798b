import { generate } from "selfsigned";

/** A certificate and its key; PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** Certificates that were made just now. */
export interface Certificates {
  /** An authority that nobody trusts by itself. */
  readonly authority: Certificate;
  /** Signed by it, for `mcp.example` and `localhost`. */
  readonly server: Certificate;
  /** Signed by nobody else, for `localhost`. */
  readonly selfSigned: Certificate;
}

/** Makes them. */
export async function makeCertificates(): Promise<Certificates> {
  const made = { keyType: "ec", algorithm: "sha256" } as const;
  const authority = await generate([{ name: "commonName", value: "authority of a test" }], {
    ...made,
    extensions: [
      { name: "basicConstraints", cA: true, critical: true },
      { name: "keyUsage", keyCertSign: true, critical: true },
    ],
  });
  const sign = { key: authority.private, cert: authority.cert };
  const server = await generate([{ name: "commonName", value: "mcp.example" }], {
    ...made,
    ca: sign,
    extensions: [namesOf("mcp.example", "localhost")],
  });
  const selfSigned = await generate([{ name: "commonName", value: "localhost" }], {
    ...made,
    extensions: [namesOf("localhost")],
  });
  return { authority: toPair(authority), server: toPair(server), selfSigned: toPair(selfSigned) };
}

function namesOf(...names: readonly string[]): {
  name: "subjectAltName";
  altNames: { type: 2; value: string }[];
} {
  return { name: "subjectAltName", altNames: names.map((value) => ({ type: 2, value })) };
}

function toPair(made: { readonly cert: string; readonly private: string }): Certificate {
  return { cert: made.cert, key: made.private };
}
