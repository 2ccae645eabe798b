import { HostsideError } from "@hostside/core";
import { isPlainObject } from "@hostside/core/implement";

/**
 * The vectors of an answer of `/v1/embeddings`, in the order of the texts: lists of numbers, or
 * base64 of little-endian floats. Throws `invalid_output` for anything but one for each text.
 */
export function readEmbeddings(answer: unknown, count: number): readonly ArrayLike<number>[] {
  const data = isPlainObject(answer) ? answer["data"] : undefined;
  if (!Array.isArray(data) || data.length !== count) throw invalid(`no list of ${count} embeddings`);
  const vectors: ArrayLike<number>[] = Array.from({ length: count });
  const seen = new Set<number>();
  for (const [place, item] of (data as unknown[]).entries()) {
    if (!isPlainObject(item)) throw invalid("what is no embedding");
    const { index = place, embedding } = item;
    if (typeof index !== "number" || !(Number.isInteger(index) && index >= 0 && index < count) || seen.has(index)) {
      throw invalid("embeddings whose order cannot be known");
    }
    seen.add(index);
    vectors[index] = readVector(embedding);
  }
  return vectors;
}

function readVector(embedding: unknown): ArrayLike<number> {
  // What its numbers are is looked at by who uses it.
  if (Array.isArray(embedding)) return embedding as readonly number[];
  if (typeof embedding !== "string") throw invalid("what is no embedding");
  let binary = "";
  try {
    binary = atob(embedding);
  } catch {
    // Its message would quote the text.
    throw invalid("an embedding that is no base64");
  }
  if (binary.length === 0 || binary.length % 4 !== 0) throw invalid("an embedding that holds no floats");
  const view = new DataView(Uint8Array.from(binary, (char) => char.charCodeAt(0)).buffer);
  return Float32Array.from({ length: binary.length / 4 }, (_, at) => view.getFloat32(at * 4, true));
}

function invalid(what: string): HostsideError {
  return new HostsideError(`the endpoint answered ${what}`, { code: "invalid_output" });
}
