import { isKnownContent, type ToolOutcome } from "@hostside/core";
import { checkBase64 } from "@hostside/core/implement";
import { normalMediaType } from "../media/read-media.ts";
import { presentDefaults } from "../present/present-options.ts";
import { readOutcome } from "../present/read-outcome.ts";
import type { BlobSink } from "./blob-sink.ts";
import { decodeBase64 } from "./encode-base64.ts";

/** Says where bytes were saved; `undefined` where they were not. Throws what the sink threw. */
export type SaveBlob = (blob: { readonly data: string }) => string | undefined;

/**
 * Puts the bytes of all resources of a result into a sink, and resolves with what
 * `presentAsEvva(outcome, { saveBlob })` asks where they are: the path of the file, or the sink's
 * key where it has no files. The same bytes are put once. Never rejects but with the reason of the
 * signal: what the sink does not take, or throws, is asked for later.
 */
export async function saveBlobs(
  outcome: ToolOutcome,
  sink: BlobSink,
  options: { readonly conversation?: string | undefined; readonly signal?: AbortSignal | undefined } = {},
): Promise<SaveBlob> {
  const { conversation, signal } = options;
  const saved = new Map<string, { readonly path: string | undefined } | { readonly error: unknown }>();
  for (const block of readOutcome(outcome, presentDefaults.maxBlocks).blocks) {
    if (block === undefined || !isKnownContent(block) || block.type !== "resource") continue;
    const checked = checkBase64(block.resource.blob ?? "");
    if (checked.kind === "bad" || saved.has(checked.data)) continue;
    signal?.throwIfAborted();
    const mimeType = normalMediaType(block.resource.mimeType ?? "") ?? "application/octet-stream";
    try {
      const put = await sink.put({ data: decodeBase64(checked.data), mimeType, conversation }, { signal });
      saved.set(checked.data, { path: put.kept ? (put.path ?? put.key) : undefined });
    } catch (error) {
      signal?.throwIfAborted();
      saved.set(checked.data, { error });
    }
  }
  return ({ data }) => {
    const found = saved.get(data);
    if (found === undefined) return undefined;
    if ("error" in found) throw found.error;
    return found.path;
  };
}
