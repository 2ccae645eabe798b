import { headWithin, utf8Length } from "@hostside/core/implement";
import { jointOf, markerOf, type Fitting, type FittingText } from "./fitting.ts";
import { restNotice, wayTo } from "./notices.ts";
import { shareSpace, type SpaceClaim } from "./share-space.ts";

/** How much the texts of one presentation may take. */
export interface TextLimits {
  readonly bytes: number;
  readonly tokens: number;
}

/**
 * Where each text ends that is shown, by the place of its piece. One that is not among them is not
 * shown at all.
 */
export type Cuts = ReadonlyMap<number, number>;

/**
 * Where each text is to be cut so that all fit into the bounds: first in bytes, then what is left
 * of them in tokens.
 */
export function cutPieces(fitting: Fitting, { bytes, tokens }: TextLimits): Cuts {
  const byBytes = cutBy(
    fitting,
    fitting.texts.map(({ index, piece, most }) => {
      const isWhole = most.end === piece.text.length;
      return { index, piece, end: piece.text.length, cost: isWhole ? most.bytes : bytes + 1 };
    }),
    {
      budget: bytes,
      least: Math.min(256, bytes / 8),
      of: utf8Length,
      cut: (text, share) => headWithin(text, share).end,
    },
  );
  if (tokens === Number.POSITIVE_INFINITY) return byBytes;
  const { tokensOf } = fitting.settings;
  const shown = fitting.texts.flatMap(({ index, piece }): Measured[] => {
    const end = byBytes.get(index);
    return end === undefined ? [] : [{ index, piece, end, cost: end === 0 ? 0 : tokensOf(piece.text.slice(0, end)) }];
  });
  return cutBy(fitting, shown, {
    budget: tokens,
    least: Math.min(64, tokens / 8),
    of: tokensOf,
    cut: (text, share, end) => longestWithin(end, (some) => tokensOf(text.slice(0, some)) <= share),
  });
}

interface Measured extends Omit<FittingText, "most"> {
  /** As far as it may be shown. */
  readonly end: number;
  /** What it costs up to there. */
  readonly cost: number;
}

interface Measure {
  readonly budget: number;
  readonly least: number;
  of(text: string): number;
  /** Where a text ends that may cost no more than its share. */
  cut(text: string, share: number, end: number): number;
}

// The place where a text is cut has as many digits as its length, or fewer; not every estimate is
// sure to know.
const slack = 8;

function cutBy({ rest, delimiters, settings }: Fitting, texts: readonly Measured[], measure: Measure): Cuts {
  const joint = jointOf(settings).length;
  const around = delimiters === undefined ? 0 : measure.of(delimiters.open + delimiters.close);
  const claims = texts.map(({ piece, end, cost }): SpaceClaim => {
    const marker = piece.text === "" ? 0 : measure.of(markerOf(piece, piece.text.length, settings)) + slack;
    const isCut = end < piece.text.length;
    const frame = measure.of(piece.head) + (piece.foreign ? around : 0) + joint + (isCut ? marker : 0);
    const cuttable = piece.text !== "";
    return { whole: cost, frame, marker: isCut ? 0 : marker, cuttable, first: piece.part === "structured" };
  });
  const words =
    measure.of(restNotice(1_000_000, wayTo(settings.kept, { part: "rest", from: rest?.from ?? 0 }))) + joint;
  const shares = shareSpace(claims, {
    budget: rest === undefined ? measure.budget : measure.budget - words,
    least: measure.least,
    rest: rest === undefined ? words : 0,
  });
  const cuts = new Map<number, number>();
  texts.forEach(({ index, piece, end, cost }, place) => {
    const share = shares[place];
    if (share === undefined) return;
    cuts.set(index, share >= cost ? end : Math.min(end, wholeEnd(piece.text, measure.cut(piece.text, share, end))));
  });
  return cuts;
}

// The longest length that fits, looked for by halves, and no nearer than 16.
function longestWithin(length: number, fits: (length: number) => boolean): number {
  let low = 0;
  let high = length;
  while (high - low > 16) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/** The place at or before `end` that does not part a surrogate pair. */
function wholeEnd(text: string, end: number): number {
  if (end <= 0 || end >= text.length) return Math.max(0, Math.min(end, text.length));
  const before = text.charCodeAt(end - 1);
  const after = text.charCodeAt(end);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff ? end - 1 : end;
}
