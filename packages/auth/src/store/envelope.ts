import type { JsonObject } from "@hostside/core";
import { isJsonObject, storeFailed } from "@hostside/core/implement";

/** A document as it is kept outside of the process. */
export interface DocumentEnvelope {
  /** {@linkcode keyText} of its key: where it is kept has only a hash of it. */
  readonly key: string;
  readonly document: JsonObject;
  /** When it is needed no more, in milliseconds since 1970. */
  readonly endsAt?: number | undefined;
}

const version = 1;

/** An envelope as JSON text; `json` is that of its document. */
export function envelopeText({
  key,
  endsAt,
  json,
}: Omit<DocumentEnvelope, "document"> & { readonly json: string }): string {
  const head = JSON.stringify({ version, key, endsAt });
  return `${head.slice(0, -1)},"document":${json}}`;
}

type Reader = (value: JsonObject) => DocumentEnvelope | undefined;

/**
 * How each version of the format is read. What an older version wrote is read for as long as there
 * is one, and written in this version at its next save.
 */
const readers: ReadonlyMap<unknown, Reader> = new Map([[1, readVersion1]]);

/**
 * What {@linkcode envelopeText} wrote. Throws `store_failed` for anything else; `what` says in
 * words what it was to be.
 */
export function readDocumentEnvelope(what: string, text: string): DocumentEnvelope {
  const value = parse(text);
  if (!isJsonObject(value)) throw storeFailed(`${what}: cut off, or not written by Hostside`);
  const found = value["version"];
  if (typeof found === "number" && found > version) {
    throw storeFailed(`${what}: written by a newer version of Hostside (format ${found}; this one reads ${version})`);
  }
  const envelope = readers.get(found)?.(value);
  if (envelope === undefined) throw storeFailed(`${what}: not written by Hostside`);
  return envelope;
}

function readVersion1({ key, endsAt, document }: JsonObject): DocumentEnvelope | undefined {
  if (typeof key !== "string" || !isJsonObject(document)) return undefined;
  return endsAt === undefined || typeof endsAt === "number" ? { key, document, endsAt } : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Whoever reads this gets a `store_failed`; what V8 says of it would quote the text.
    return undefined;
  }
}
