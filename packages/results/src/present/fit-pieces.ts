import { headWithin, utf8Length } from "@hostside/core/implement";
import { delimitersFor, plainBrackets, type Delimiters } from "./delimiters.ts";
import type { OutcomePiece } from "../keeping.ts";
import type { Omission, PresentedBlock } from "../presented.ts";
import { cutMarker, keepingOf, restNotice, wayTo } from "./notices.ts";
import type { Pieces, TextPiece } from "./pieces.ts";
import type { PresentSettings } from "./present-options.ts";
import type { SafeOutcome } from "./read-outcome.ts";
import { shareSpace, type SpaceClaim } from "./share-space.ts";

/** What fits into the bounds. */
export interface FittedPieces {
  readonly blocks: readonly PresentedBlock[];
  readonly omitted: readonly Omission[];
  /** Whether the structured content is shown whole. */
  readonly structuredWhole: boolean;
}

/**
 * Cuts the texts of a presentation so that all of it fits into `maxTextBytes`, and says what is not
 * shown.
 */
export function fitPieces(found: Pieces, { origin }: SafeOutcome, settings: PresentSettings): FittedPieces {
  const delimiters = settings.delimiters === undefined ? undefined : delimitersFor(origin, settings.delimiters);
  const fitting = { delimiters, settings };
  return render(found, cutPieces(found, fitting), fitting);
}

interface Fitting {
  readonly delimiters: Delimiters | undefined;
  readonly settings: PresentSettings;
}

/** Where each text ends that is shown, by its place. One that is not among them is not shown. */
type Cuts = ReadonlyMap<number, number>;

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

function render({ pieces, rest, structuredAt }: Pieces, cuts: Cuts, { delimiters, settings }: Fitting): FittedPieces {
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
      ...handleOf(piece, settings),
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
  return { kind: label, reason: "too-large", piece, ...handleOf(piece, settings) };
}

function handleOf(piece: OutcomePiece, { kept }: PresentSettings): { readonly handle?: string } {
  const keeping = keepingOf(kept, piece);
  return keeping !== undefined && "handle" in keeping ? { handle: keeping.handle } : {};
}
