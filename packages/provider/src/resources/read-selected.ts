import { isHostsideError, type ContentBlock, type HostsideError } from "@hostside/core";
import { assertKnownOptions, isPlainObject, kindOf, readWholeNumber, type Fields } from "@hostside/core/implement";
import { toAskError, tooLargeError } from "./ask-server.ts";
import { assertReadOptions, type ReadOptions } from "./server-lists.ts";
import type { ResourceTarget } from "./read-resource.ts";
import type { Resources } from "./resources.ts";
import type { ResourceRead } from "./read-cache.ts";

/** Options of `readSelected()`. */
export interface SelectedOptions extends ReadOptions {
  /**
   * UTF-16 units of all texts and all base64 together. Default 262,144; a resource that does not
   * fit is a failure, and never cut.
   */
  readonly maxTotalLength?: number | undefined;
}

/** A resource that a user selected. */
export interface SelectedResource {
  readonly serverId: string;
  readonly uri: string;
  /** Its contents in their order, without `_meta`. Untrusted. */
  readonly blocks: readonly ContentBlock[];
}

/** One that could not be read, or does not fit. */
export interface SelectedFailure {
  readonly serverId: string;
  readonly uri: string;
  readonly error: HostsideError;
}

/** The selected resources, read. */
export interface SelectedResources {
  /** In the order of the selection. */
  readonly resources: readonly SelectedResource[];
  readonly failures: readonly SelectedFailure[];
}

const fields: Fields<SelectedOptions> = {
  signal: true,
  timeoutMs: true,
  context: true,
  meta: true,
  maxTotalLength: true,
};
const operation = "resources/read";
/** How many resources a selection may have: a person chose each. */
const mostSelected = 100;

/**
 * Reads what a user selected, all at the same time, each as `read()` does: for the product to put
 * beside the user's message, or into what a tool takes. Nothing of it goes anywhere by itself.
 * Throws a `TypeError` for what is no selection of at most 100, `aborted` and `closed`; whatever
 * else goes wrong is a failure.
 */
export async function readSelected(
  resources: Pick<Resources, "read">,
  targets: readonly ResourceTarget[],
  options: SelectedOptions = {},
): Promise<SelectedResources> {
  assertKnownOptions("readSelected()", options, fields);
  const { maxTotalLength, ...readOptions } = options;
  assertReadOptions("readSelected()", readOptions);
  const most = readWholeNumber(maxTotalLength, "maxTotalLength", { least: 1, otherwise: 262_144 });
  if (!Array.isArray(targets) || targets.length > mostSelected) {
    throw new TypeError(`readSelected() needs an array of at most ${mostSelected} resources`);
  }
  const wrong: unknown = targets.find((target) => !isPlainObject(target) || typeof target["uri"] !== "string");
  if (wrong !== undefined) throw new TypeError(`readSelected() needs { serverId, uri }, not ${kindOf(wrong)}`);
  const reads = await Promise.all(
    targets.map(({ serverId, uri }) => readOne(resources, { serverId, uri }, readOptions)),
  );
  const selected: SelectedResource[] = [];
  const failures: SelectedFailure[] = [];
  let left = most;
  for (const found of reads) {
    const { serverId, uri } = found;
    if ("error" in found) {
      failures.push(found);
      continue;
    }
    const used = found.contents.reduce((sum, { text, blob }) => sum + (text ?? blob ?? "").length, 0);
    if (used > left) {
      const error = tooLargeError({ serverId, operation }, { used, limit: left }, "UTF-16 units of the selection");
      failures.push({ serverId, uri, error });
      continue;
    }
    left -= used;
    selected.push({ serverId, uri, blocks: blocksOf(found) });
  }
  return { resources: selected, failures };
}

async function readOne(
  resources: Pick<Resources, "read">,
  target: ResourceTarget,
  options: ReadOptions,
): Promise<ResourceRead | SelectedFailure> {
  try {
    return await resources.read(target, options);
  } catch (reason) {
    // What was called wrongly, was given up, or is closed, is no word on a resource.
    if (reason instanceof TypeError || isHostsideError(reason, "closed") || options.signal?.aborted) throw reason;
    return { ...target, error: toAskError(reason, { ...target, operation }) };
  }
}

function blocksOf({ contents }: ResourceRead): readonly ContentBlock[] {
  return contents.map(({ uri, text, blob, mimeType }): ContentBlock => {
    const head = { uri, ...(mimeType !== undefined && { mimeType }) };
    return { type: "resource", resource: text === undefined ? { ...head, blob } : { ...head, text } };
  });
}
