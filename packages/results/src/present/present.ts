import type { JsonObject, ToolOutcome, ContentBlock, JsonValue } from "@hostside/core";
import { isJsonObject, headWithin, utf8Length } from "@hostside/core/implement";
import type { Presented, PresentedBlock, Omission, OutcomePiece } from "../presented.ts";
import { assertSettled, member } from "./untrusted.ts";
import { readOutcome, type SafeOutcome } from "./read-outcome.ts";
import { notice, readPieces, type Pieces, type TextPiece } from "./read-pieces.ts";
import { plainStructured } from "./structured-json.ts";
import { readPresentOptions, type PresentOptions, type PresentSettings } from "./present-options.ts";
import { delimitersFor, plainBrackets, type Delimiters } from "./delimiters.ts";
import { cutMarker, handleOf, restNotice, wayTo } from "./notices.ts";

/** As what a result can be presented. */
export type PresentForm = "blocks" | "text" | "envelope" | "raw";

/**
 * Presents a result to a model, as blocks for any model API: bounded, each text well-formed and
 * none empty, media checked, structured content once, and a notice for all that is not shown. Pure,
 * synchronous, and linear in the size of the result. Never throws for any outcome, whoever made it;
 * a `TypeError` names the option that breaks a rule, and refuses a promise of an outcome.
 *
 * @example
 * const { blocks, isError } = present(outcome, "blocks", { maxTextBytes: 16_384 });
 */
export function present(outcome: ToolOutcome, form: "blocks", options?: PresentOptions): Presented;
/**
 * The same as one text, in which words stand for media. A result that is an error begins with
 * `[tool error] `.
 */
export function present(outcome: ToolOutcome, form: "text", options?: PresentOptions): string;
/** The result whole, with its origin: for audits, never for a model. Takes no options. */
export function present(outcome: ToolOutcome, form: "envelope"): ResultEnvelope;
/** The server's result object, unchanged; never for a model. Takes no options. */
export function present(outcome: ToolOutcome, form: "raw"): JsonObject;
export function present(
  outcome: ToolOutcome,
  form: PresentForm,
  options?: PresentOptions,
): Presented | string | ResultEnvelope | JsonObject {
  assertSettled("present()", outcome);
  switch (form) {
    case "blocks":
      return presentBlocks(outcome, readPresentOptions("present()", options));
    case "text":
      return presentText(outcome, readPresentOptions("present()", options));
    case "envelope":
      return presentEnvelope(outcome);
    case "raw": {
      const raw = member(outcome, "raw");
      return isJsonObject(raw) ? raw : {};
    }
    default:
      throw new TypeError('present() takes a form: "blocks", "text", "envelope" or "raw"');
  }
}

/**
 * The prefix of a result that is an error, where a model API has no flag for that.
 */
const toolErrorPrefix = "[tool error] ";

/**
 * An outcome as one text: blocks parted by blank lines, with words in the place of each medium, all
 * within the bounds.
 */
function presentText(outcome: unknown, settings: PresentSettings): string {
  const { blocks, isError } = presentBlocks(outcome, {
    ...settings,
    mediaInWords: true,
    maxTextBytes: settings.maxTextBytes - toolErrorPrefix.length,
  });
  const text = blocks.map((block) => (block.type === "text" ? block.text : "")).join("\n\n");
  return isError ? toolErrorPrefix + text : text;
}

/** An outcome as blocks for a model API. */
export function presentBlocks(outcome: unknown, settings: PresentSettings): Presented {
  return presentRead(readOutcome(outcome, settings.maxBlocks), settings);
}

/** The same for an outcome that was read already, with `maxBlocks`. */
export function presentRead(safe: SafeOutcome, settings: PresentSettings): Presented {
  const found = readPieces(safe, settings);
  const fitting = { delimiters: settings.delimiters ? delimitersFor(safe.origin) : undefined, settings };
  const fitted = render(found, cutPieces(found, fitting), fitting);
  const { json } = found;
  const blocks = fitted.blocks.length > 0 ? fitted.blocks : [nothing(safe)];
  // Between marks it is among the texts alone: as a value it would come without them.
  const whole = fitted.structuredWhole && json !== undefined && !settings.delimiters;
  return {
    blocks,
    isError: safe.isError,
    ...(whole ? { structured: plainStructured(json) } : {}),
    omitted: [...found.omitted, ...fitted.omitted],
    ...(safe.origin === undefined ? {} : { origin: safe.origin }),
  };
}

function nothing({ isError }: SafeOutcome): PresentedBlock {
  const text = isError ? "[the tool failed and says nothing else]" : "[the tool returned nothing]";
  return { type: "text", text: notice(text).head, part: "notice" };
}

interface Fitting {
  readonly delimiters: Delimiters | undefined;
  readonly settings: PresentSettings;
}

/** The end of each text that is shown, by its place. Other texts are not shown. */
type Cuts = ReadonlyMap<number, number>;

/** Cuts the texts of a presentation so that all of it fits into `maxTextBytes`. */
function cutPieces({ pieces, rest }: Pieces, { delimiters, settings }: Fitting): Cuts {
  const { maxTextBytes } = settings;
  const joint = jointOf(settings).length;
  const around = delimiters === undefined ? 0 : utf8Length(delimiters.open + delimiters.close);
  const texts = pieces.flatMap((piece, index) => (piece.kind === "text" ? [{ piece, index }] : []));
  const claims = texts.map(({ piece }): SpaceClaim => {
    const { end, bytes } = headWithin(piece.text, maxTextBytes);
    const marker = piece.text === "" ? 0 : utf8Length(markerOf(piece, piece.text.length, settings));
    return {
      whole: end === piece.text.length ? bytes : maxTextBytes + 1,
      frame: utf8Length(piece.head) + (piece.foreign ? around : 0) + joint,
      marker,
      cuttable: piece.text !== "",
      first: piece.part === "structured",
    };
  });
  const words =
    utf8Length(restNotice(1_000_000, wayTo(settings.kept, { part: "rest", from: rest?.from ?? 0 }))) + joint;
  const shares = shareSpace(claims, {
    budget: rest === undefined ? maxTextBytes : maxTextBytes - words,
    least: Math.min(256, maxTextBytes / 8),
    rest: rest === undefined ? words : 0,
  });
  const cuts = new Map<number, number>();
  texts.forEach(({ piece, index }, place) => {
    const share = shares[place];
    if (share !== undefined) cuts.set(index, headWithin(piece.text, share).end);
  });
  return cuts;
}

/** The words after a text that was cut, on a line of their own. */
function markerOf({ text, piece }: TextPiece, shown: number, { kept }: PresentSettings): string {
  return `\n${cutMarker({ text, shown, piece }, kept)}`;
}

// What is between two texts, where they become one.
function jointOf({ mediaInWords }: PresentSettings): string {
  return mediaInWords ? "\n\n" : "";
}

/** The blocks that fit into the bounds, and what is not shown. */
function render(
  { pieces, rest, structuredAt }: Pieces,
  cuts: Cuts,
  { delimiters, settings }: Fitting,
): Pick<Presented, "blocks" | "omitted"> & { readonly structuredWhole: boolean } {
  const blocks: PresentedBlock[] = [];
  const omitted: Omission[] = [];
  let from: number | undefined;
  let left = rest?.count ?? 0;
  let structuredWhole = false;
  pieces.forEach((piece, index) => {
    if (piece.kind === "media") {
      blocks.push(piece.media);
      return;
    }
    const end = cuts.get(index);
    if (end === undefined) {
      left += 1;
      if (piece.piece?.part === "block") from ??= piece.piece.index;
      if (piece.piece?.part === "structured") omitted.push(omissionOf(piece, piece.piece, settings));
      return;
    }
    const isWhole = end === piece.text.length;
    if (isWhole && index === structuredAt) structuredWhole = true;
    if (!isWhole && piece.piece !== undefined) omitted.push(omissionOf(piece, piece.piece, settings));
    const marker = isWhole ? "" : markerOf(piece, end, settings);
    blocks.push({ type: "text", text: `${dress(piece, end, delimiters)}${marker}`, part: piece.part });
  });
  if (left > 0) {
    const piece: OutcomePiece = { part: "rest", from: from ?? rest?.from ?? 0 };
    omitted.push({
      kind: "result",
      reason: from === undefined ? "too-many" : "too-large",
      piece,
      ...handleOf(settings.kept, piece),
    });
    blocks.push({ type: "text", text: restNotice(left, wayTo(settings.kept, piece)), part: "notice" });
  }
  return { blocks, omitted, structuredWhole };
}

// Well-formed and without marks only now: both keep places in the text, and only what is shown has
// to be.
function dress({ head, text, foreign }: TextPiece, end: number, delimiters: Delimiters | undefined): string {
  const body = (head + text.slice(0, end)).toWellFormed();
  return delimiters === undefined || !foreign ? body : delimiters.open + plainBrackets(body) + delimiters.close;
}

function omissionOf({ label }: TextPiece, piece: OutcomePiece, settings: PresentSettings): Omission {
  return { kind: label, reason: "too-large", piece, ...handleOf(settings.kept, piece) };
}

/** The space that one text asks for, in bytes. */
interface SpaceClaim {
  readonly whole: number;
  /** Its further cost, cut or not: its head, and marks around it. */
  readonly frame: number;
  /** Its further cost when it is cut: the words that say so. */
  readonly marker: number;
  readonly cuttable: boolean;
  /** It gets its least share before those that come earlier. */
  readonly first: boolean;
}

/** The space to share. */
interface AvailableSpace {
  readonly budget: number;
  /** The least that is shown of a text that is cut. */
  readonly least: number;
  /** The cost of the words for all texts without room. */
  readonly rest: number;
}

/**
 * Shares room among texts. All are shown whole while they fit. Otherwise each in turn gets what it
 * needs, or at least the least share, until there is no room for the next; and what is left is
 * shared so that the longest are cut, all to the same length. Gives for each text how much of it
 * may be shown, which is its `whole` where it fits; `undefined` where there is no room for it.
 */
function shareSpace(claims: readonly SpaceClaim[], space: AvailableSpace): readonly (number | undefined)[] {
  const all = claims.reduce((sum, { whole, frame }) => sum + whole + frame, 0);
  if (all <= space.budget) return claims.map(({ whole }) => whole);
  const isLong = ({ cuttable, whole, marker }: SpaceClaim): boolean => cuttable && whole > space.least + marker;
  const needOf = (claim: SpaceClaim): number =>
    claim.frame + (isLong(claim) ? space.least + claim.marker : claim.whole);
  let free = space.budget - space.rest;
  const taken = new Set<number>();
  claims.forEach((claim, index) => {
    if (!claim.first || needOf(claim) > free) return;
    free -= needOf(claim);
    taken.add(index);
  });
  for (const [index, claim] of claims.entries()) {
    if (claim.first) continue;
    if (needOf(claim) > free) break;
    free -= needOf(claim);
    taken.add(index);
  }
  const long = claims
    .map((claim, index) => ({ claim, index }))
    .filter(({ claim, index }) => taken.has(index) && isLong(claim));
  const shares = claims.map(({ whole }, index) => (taken.has(index) ? whole : undefined));
  long.sort((a, b) => a.claim.whole - b.claim.whole);
  long.forEach(({ claim, index }, place) => {
    const equal = Math.floor(free / (long.length - place));
    const missing = claim.whole - space.least - claim.marker;
    const more = Math.min(missing, equal);
    free -= more;
    shares[index] = more === missing ? claim.whole : space.least + more;
  });
  return shares;
}

/** A result whole, with its origin: for the host's audit and its stores, never for a model. */
interface ResultEnvelope {
  readonly output: {
    readonly server_id: string;
    /** The server's own name for the tool. */
    readonly tool: string;
    /** `null` also where there is none. */
    readonly structured_content: JsonValue;
    readonly content: readonly ContentBlock[];
    /** `null` where there is none. */
    readonly _meta: JsonObject | null;
  };
  /**
   * `true` where the outcome is an error, `false` where the server says that it is none, `null`
   * where it says nothing.
   */
  readonly is_error: boolean | null;
  readonly usage: { readonly requests: 1 };
}

/** An outcome as an envelope: the very values of the outcome, neither bounded nor checked. */
function presentEnvelope(outcome: ToolOutcome): ResultEnvelope {
  const origin = member(outcome, "origin");
  const text = (value: unknown): string => (typeof value === "string" ? value : "");
  const content = member(outcome, "content");
  const meta = member(outcome, "meta");
  return {
    output: {
      server_id: text(member(origin, "serverId")),
      tool: text(member(origin, "toolName")),
      structured_content: (member(outcome, "structuredContent") ?? null) as JsonValue,
      content: Array.isArray(content) ? (content as readonly ContentBlock[]) : [],
      _meta: isJsonObject(meta) ? meta : null,
    },
    is_error: readIsError(outcome),
    usage: { requests: 1 },
  };
}

// An outcome may be an error by the word of a layer of the host, whatever its server said.
function readIsError(outcome: ToolOutcome): boolean | null {
  if (member(outcome, "isError") === true) return true;
  return member(member(outcome, "raw"), "isError") === false ? false : null;
}
