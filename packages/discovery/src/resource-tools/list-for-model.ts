import { utf8Length } from "@hostside/core/implement";
import { cleanText, type CallOptions, type JsonObject } from "@hostside/core";
import { isAppUri } from "@hostside/core/implement";
import type { SourceFailure } from "./resource-source.ts";
import type { Resource, ResourceTemplate } from "@hostside/core";
import { readOptionsOf, type ToolParts } from "./resource-tool.ts";

/** What is listed: resources, or templates of them. */
export type ListedKind = "resources" | "templates";

/** Entries of several servers. */
export interface FoundEntries {
  /**
   * Sorted by server id, then by URI or template; those of apps are left out, because they are for
   * users.
   */
  readonly entries: readonly (Resource | ResourceTemplate)[];
  readonly failures: readonly SourceFailure[];
}

/** Asks these servers. */
export async function findEntries(
  { resources }: ToolParts,
  { kind, servers }: { readonly kind: ListedKind; readonly servers: readonly string[] },
  options: CallOptions,
): Promise<FoundEntries> {
  const asked = { ...readOptionsOf(options), servers };
  const { failures, ...found } =
    kind === "resources" ? await resources.list(asked) : await resources.listTemplates(asked);
  const entries: readonly (Resource | ResourceTemplate)[] = "resources" in found ? found.resources : found.templates;
  return { entries: entries.filter((entry) => !isAppUri("uri" in entry ? entry.uri : entry.uriTemplate)), failures };
}

/** How much of a list fits into one answer. */
export interface ListBounds {
  readonly maxEntries: number;
  readonly maxListBytes: number;
}

/** The first of `values` that fit, as JSON; at least one. */
export function takeEntries(
  values: readonly JsonObject[],
  { maxEntries, maxListBytes }: ListBounds,
): readonly JsonObject[] {
  const taken: JsonObject[] = [];
  let bytes = 0;
  for (const value of values) {
    bytes += utf8Length(JSON.stringify(value)) + 1;
    if (taken.length >= maxEntries || (bytes > maxListBytes && taken.length > 0)) break;
    taken.push(value);
  }
  return taken;
}

/**
 * What of an entry's texts a model gets, bounded and without what hides in texts. The URI stays as
 * it is, because it names the resource.
 */
export function entryTextsOf(entry: Resource | ResourceTemplate): {
  readonly name: string;
  readonly title?: string;
  readonly mimeType?: string;
  readonly description?: string;
} {
  const { name, title, mimeType, description } = entry;
  return {
    name: cleanText(name, 256),
    ...(title !== undefined && { title: cleanText(title, 256) }),
    ...(mimeType !== undefined && { mimeType: cleanText(mimeType, 256) }),
    ...(description !== undefined && { description: cleanText(description, 1024) }),
  };
}
