import { assertKnownOptions, kindOf, readWholeNumber, type Fields } from "@hostside/core/implement";
import type { KeptPieces } from "../presented.ts";
import { normalMediaType } from "../media/read-media.ts";

/** Which media a model gets. */
export interface MediaOptions {
  /**
   * Media types, or families such as `audio/*`. Default: png, jpeg, webp and gif, and `audio/*`. An
   * empty list shows none.
   */
  readonly types?: readonly string[] | undefined;
  /** Bytes of one picture, sound or file, as base64, which some APIs count. Default 5 MiB. */
  readonly maxItemBytes?: number | undefined;
  /** Media of one result. Default 8. */
  readonly maxItems?: number | undefined;
}

/** Options about what of a result is shown, and how. */
export interface PresentOptions {
  /**
   * All texts of one presentation in UTF-8, with notices and marks; at least 1,024. Default 32 KiB:
   * some 8,000 tokens, which a conversation can bear many times.
   */
  readonly maxTextBytes?: number | undefined;
  /**
   * How many blocks of a result are looked at. Default 1,000. The rest is counted, and nothing
   * else.
   */
  readonly maxBlocks?: number | undefined;
  readonly media?: MediaOptions | undefined;
  /**
   * Puts every text of a server between marks with its origin, which it cannot have in itself.
   * Default: none.
   */
  readonly delimiters?: boolean | undefined;
}

/** {@linkcode PresentOptions} that were read, with their defaults. */
export interface PresentSettings {
  readonly maxTextBytes: number;
  readonly maxBlocks: number;
  readonly mediaTypes: readonly string[];
  readonly maxItemBytes: number;
  readonly maxItems: number;
  readonly delimiters: boolean;
  /** The pieces that were kept, for the notices. */
  readonly kept: KeptPieces | undefined;
  /** Words stand for media, and count as texts do. */
  readonly mediaInWords: boolean;
}

/** The defaults of what is shown of a result. Media types, bytes, items. */
const defaults = {
  maxTextBytes: 32 * 1024,
  maxBlocks: 1000,
  mediaTypes: ["image/png", "image/jpeg", "image/webp", "image/gif", "audio/*"],
  maxItemBytes: 5 * 1024 * 1024,
  maxItems: 8,
};

/** The fields of {@linkcode PresentOptions}. */
export const presentFields: Fields<PresentOptions> = {
  maxTextBytes: true,
  maxBlocks: true,
  media: true,
  delimiters: true,
};
const mediaFields: Fields<MediaOptions> = { types: true, maxItemBytes: true, maxItems: true };

/**
 * Reads options. `owner` says whose they are, as `present()`. Throws a `TypeError` that names the
 * field which breaks a rule.
 */
export function readPresentOptions(owner: string, options: PresentOptions = {}): PresentSettings {
  assertKnownOptions(owner, options, presentFields);
  const { media = {}, delimiters = false } = options;
  assertKnownOptions(`media of ${owner}`, media, mediaFields);
  if (typeof delimiters !== "boolean") throw fail(owner, "delimiters", "must be true or false");
  const whole = (place: string, value: number | undefined, bounds: { least: number; otherwise: number }): number =>
    readWholeNumber(value, `${place} of ${owner}`, bounds);
  return {
    maxTextBytes: whole("maxTextBytes", options.maxTextBytes, { least: 1024, otherwise: defaults.maxTextBytes }),
    maxBlocks: whole("maxBlocks", options.maxBlocks, { least: 1, otherwise: defaults.maxBlocks }),
    mediaTypes: readTypes(owner, media.types),
    maxItemBytes: whole("media.maxItemBytes", media.maxItemBytes, {
      least: 1,
      otherwise: defaults.maxItemBytes,
    }),
    maxItems: whole("media.maxItems", media.maxItems, { least: 0, otherwise: defaults.maxItems }),
    delimiters,
    kept: undefined,
    mediaInWords: false,
  };
}

function readTypes(owner: string, types: readonly string[] | undefined): readonly string[] {
  if (types === undefined) return defaults.mediaTypes;
  if (!Array.isArray(types)) throw fail(owner, "media.types", `must be a list of media types, not ${kindOf(types)}`);
  return (types as readonly unknown[]).map((type) => {
    const family = typeof type === "string" && type.endsWith("/*");
    const known = typeof type === "string" ? normalMediaType(family ? `${type.slice(0, -1)}x` : type) : undefined;
    if (known === undefined)
      throw fail(owner, "media.types", "must be media types such as image/png, or families such as audio/*");
    return family ? `${known.slice(0, -1)}*` : known;
  });
}

function fail(owner: string, field: string, rule: string): TypeError {
  return new TypeError(`${field} of ${owner} ${rule}`);
}
