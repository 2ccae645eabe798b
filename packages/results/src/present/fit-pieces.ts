import { utf8Length } from "@hostside/core/implement";
import { cutPieces, type TextLimits, type Cuts } from "./cut-pieces.ts";
import { delimitersFor, plainBrackets, type Delimiters } from "./delimiters.ts";
import { jointOf, markerOf, prepareFitting, type Fitting } from "./fitting.ts";
import type { OutcomePiece } from "../keeping.ts";
import type { Omission, PresentedBlock } from "../presented.ts";
import { keepingOf, restNotice, wayTo } from "./notices.ts";
import type { Pieces, TextPiece } from "./pieces.ts";
import type { PresentSettings } from "./present-options.ts";
import type { SafeOutcome } from "./read-outcome.ts";

/** What fits into the bounds. */
export interface FittedPieces {
  readonly blocks: readonly PresentedBlock[];
  readonly omitted: readonly Omission[];
  /** Whether the structured content is shown whole. */
  readonly structuredWhole: boolean;
}

/**
 * Cuts pieces to the bounds, with words for all that is missing. The work is linear in the bounds,
 * not in what was sent.
 */
export function fitPieces(found: Pieces, { origin }: SafeOutcome, settings: PresentSettings): FittedPieces {
  const delimiters = settings.delimiters === undefined ? undefined : delimitersFor(origin, settings.delimiters);
  const fitting = prepareFitting(found, delimiters, settings);
  let bounds: TextLimits = { bytes: settings.maxTextBytes, tokens: settings.maxTokens };
  // An estimate of tokens need not be the sum of its parts: what comes out is measured, and cut
  // shorter until it fits.
  for (let turn = 0; turn < 12; turn += 1) {
    const fitted = render(found, cutPieces(fitting, bounds), fitting);
    if (fits(fitted.blocks, settings)) return fitted;
    bounds = { bytes: bounds.bytes * 0.8, tokens: bounds.tokens * 0.8 };
  }
  return render(found, new Map(), fitting);
}

function fits(blocks: readonly PresentedBlock[], settings: PresentSettings): boolean {
  const { maxTextBytes, maxTokens, tokensOf } = settings;
  const joint = jointOf(settings);
  const parts = blocks.flatMap((block) => (block.type === "text" ? [block.text + joint] : []));
  // Where they become one text, that is what has to fit: an estimate need not be the sum of its
  // parts.
  const texts = joint === "" ? parts : [parts.join("")];
  if (texts.reduce((sum, text) => sum + utf8Length(text), 0) > maxTextBytes) return false;
  return maxTokens === Number.POSITIVE_INFINITY || texts.reduce((sum, text) => sum + tokensOf(text), 0) <= maxTokens;
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
