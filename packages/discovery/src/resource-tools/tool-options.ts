import type { CallContext } from "@hostside/core";
import { assertKnownOptions, kindOf, type Fields, readWholeNumber } from "@hostside/core/implement";

/** Bytes of a resource that a model cannot read as text. */
export interface BlobToSave {
  readonly serverId: string;
  /** The server's word: never a path. */
  readonly uri: string;
  /** The server's word. */
  readonly mimeType: string | undefined;
  /** Base64 as it came, not checked. */
  readonly blob: string;
}

/**
 * Keeps bytes, and says where: such as the path of a file. `undefined`: they are not kept. `signal`
 * aborts when nobody waits any longer. What it throws counts as not kept.
 */
export type SaveResourceBlob = (
  blob: BlobToSave,
  options: { readonly signal?: AbortSignal | undefined; readonly context?: CallContext | undefined },
) => string | undefined | Promise<string | undefined>;

/** Which tools a model gets: names, arguments and answers. */
export type ResourceToolsShape = "default" | "evva" | "nexo";

/** Options of `createResourceTools` and `resourceTools`. */
export interface ResourceToolsOptions {
  /**
   * `"default"`: `resources_list`, `resources_templates`, `resources_read`. `"evva"`:
   * `list_mcp_resources`, `read_mcp_resource`. `"nexo"`: `ListMcpResources`, `ReadMcpResource`, and
   * three tools for each server that has resources.
   */
  readonly shape?: ResourceToolsShape | undefined;
  /** What the provider of the tools is called. Default `resources`. */
  readonly name?: string | undefined;
  /** Entries in one answer of a list. Default 200. */
  readonly maxEntries?: number | undefined;
  /** Bytes of one answer of a list, in UTF-8. Default 65,536. */
  readonly maxListBytes?: number | undefined;
  /**
   * Bytes of all texts of one read, in UTF-8. Default 262,144 for `"evva"` and `"nexo"`; more is
   * cut between characters, with a mark. `"default"` gives whole blocks, which a presenter bounds,
   * and does not read it.
   */
  readonly maxReadBytes?: number | undefined;
  /** Default: bytes are not kept. */
  readonly saveBlob?: SaveResourceBlob | undefined;
  /**
   * The names of nexo's tools for one server. Default: `mcp_<server>_<tool>`, where what a model
   * API would refuse is `_`, and the server's part ends in a hash if it was changed or cut.
   */
  readonly nameTool?: ((serverId: string, tool: string) => string) | undefined;
}

/** The same, read. */
export interface ToolSettings {
  readonly shape: ResourceToolsShape;
  readonly name: string;
  readonly maxEntries: number;
  readonly maxListBytes: number;
  readonly maxReadBytes: number;
  readonly saveBlob: SaveResourceBlob | undefined;
  readonly nameTool: (serverId: string, tool: string) => string;
}

const fields: Fields<ResourceToolsOptions> = {
  shape: true,
  name: true,
  maxEntries: true,
  maxListBytes: true,
  maxReadBytes: true,
  saveBlob: true,
  nameTool: true,
};
const shapes: readonly string[] = ["default", "evva", "nexo"] satisfies readonly ResourceToolsShape[];

/** Reads the options. Throws a `TypeError` that names what cannot be used. */
export function readToolOptions(owner: string, options: ResourceToolsOptions): ToolSettings {
  assertKnownOptions(owner, options, fields);
  const { shape = "default", name = "resources", saveBlob, nameTool = nameServerTool } = options;
  if (!shapes.includes(shape)) throw new TypeError(`${owner}: shape must be one of ${shapes.join(", ")}`);
  if (typeof name !== "string" || name === "") throw new TypeError(`${owner}: name must be a text that is not empty`);
  for (const [place, given] of Object.entries({ saveBlob, nameTool })) {
    if (given !== undefined && typeof given !== "function")
      throw new TypeError(`${owner}: ${place} must be a function, not ${kindOf(given)}`);
  }
  return {
    shape,
    name,
    maxEntries: readWholeNumber(options.maxEntries, "maxEntries", { least: 1, most: 10_000, otherwise: 200 }),
    maxListBytes: readWholeNumber(options.maxListBytes, "maxListBytes", { least: 1024, otherwise: 65_536 }),
    maxReadBytes: readWholeNumber(options.maxReadBytes, "maxReadBytes", { least: 1, otherwise: 262_144 }),
    saveBlob,
    nameTool,
  };
}

// `mcp_`, `_list_resource_templates` and 64 characters in all.
const longestServerPart = 34;

function nameServerTool(serverId: string, tool: string): string {
  const legal = serverId.replaceAll(/[^A-Za-z0-9_-]/g, "_");
  const part =
    legal === serverId && serverId.length <= longestServerPart ? serverId : `${legal.slice(0, 25)}_${hash(serverId)}`;
  return `mcp_${part}_${tool}`;
}

// FNV-1a, 32 bits: ids are the host's, and nobody gains by two that are the same.
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return (value >>> 0).toString(16).padStart(8, "0");
}
