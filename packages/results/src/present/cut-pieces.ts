import { markerOf, type Fitting } from "./fitting.ts";
import type { MediaPiece, TextPiece } from "./pieces.ts";
import { restNotice, wayTo } from "./notices.ts";
import { shareRoom, type RoomClaim } from "./share-room.ts";
import { headWithin, utf8Length, wholeEnd } from "./text-size.ts";

/** How much the texts of one presentation may take. */
export interface Bounds {
  readonly bytes: number;
  readonly tokens: number;
}

// Between two texts, where they become one.
const joint = 2;

/** For each piece where its text ends, and whether it is shown at all. */
export interface Cuts {
  readonly ends: readonly number[];
  readonly shown: readonly boolean[];
}

/** Where each text is to be cut so that all fit into the bounds. */
export function cutPieces(fitting: Fitting, { bytes, tokens }: Bounds): Cuts {
  const { pieces, settings } = fitting;
  const heads = pieces.map((piece) =>
    piece.kind === "text" ? headWithin(piece.text, bytes + 1) : { end: 0, bytes: 0 },
  );
  const byBytes = cutBy(fitting, {
    budget: bytes,
    least: Math.min(256, bytes / 8),
    of: utf8Length,
    wholes: heads.map((head, index) => (head.end === lengthOf(pieces[index]) ? head.bytes : bytes + 1)),
    cut: (text, share) => headWithin(text, share).end,
    ends: pieces.map(lengthOf),
  });
  if (tokens === Number.POSITIVE_INFINITY) return byBytes;
  const { tokensOf } = settings;
  const wholes = pieces.map((piece, index) => {
    const end = byBytes.ends[index] ?? 0;
    return piece.kind === "text" && byBytes.shown[index] === true && end > 0 ? tokensOf(piece.text.slice(0, end)) : 0;
  });
  const byTokens = cutBy(fitting, {
    budget: tokens,
    least: Math.min(64, tokens / 8),
    of: tokensOf,
    wholes,
    cut: (text, share, end) => tokenEnd(text, { share, end, tokensOf }),
    ends: byBytes.ends,
  });
  return { ends: byTokens.ends, shown: byBytes.shown.map((shown, index) => shown && byTokens.shown[index] === true) };
}

interface Measure {
  readonly budget: number;
  readonly least: number;
  of(text: string): number;
  readonly wholes: readonly number[];
  /** Where a text ends that may cost no more than its share. */
  cut(text: string, share: number, end: number): number;
  readonly ends: readonly number[];
}

function lengthOf(piece: TextPiece | MediaPiece | undefined): number {
  return piece?.kind === "text" ? piece.text.length : 0;
}

function cutBy({ pieces, rest, fence, settings }: Fitting, measure: Measure): Cuts {
  const places: number[] = [];
  const claims: RoomClaim[] = [];
  const around = fence === undefined ? 0 : measure.of(fence.open + fence.close);
  pieces.forEach((piece, index) => {
    if (piece.kind !== "text") return;
    const end = measure.ends[index] ?? 0;
    const whole = measure.wholes[index] ?? 0;
    const marker = piece.text === "" ? 0 : measure.of(markerOf(piece, piece.text.length, settings)) + 8;
    const isCut = end < piece.text.length;
    const frame = measure.of(piece.head) + (piece.foreign ? around : 0) + joint + (isCut ? marker : 0);
    places.push(index);
    claims.push({
      whole,
      frame,
      marker: isCut ? 0 : marker,
      cuttable: piece.text !== "",
      first: piece.part === "structured",
    });
  });
  const forRest =
    measure.of(restNotice(1_000_000, wayTo(settings.kept, { part: "rest", from: rest?.from ?? 0 }))) + joint;
  const budget = rest === undefined ? measure.budget : measure.budget - forRest;
  const { shares, until } = shareRoom(claims, { budget, least: measure.least, rest: rest === undefined ? forRest : 0 });
  const ends = pieces.map(() => 0);
  const shown = pieces.map((piece) => piece.kind === "media");
  places.forEach((index, place) => {
    const piece = pieces[index];
    const claim = claims[place];
    const share = shares[place] ?? 0;
    if (piece?.kind !== "text" || claim === undefined) return;
    const end = measure.ends[index] ?? 0;
    ends[index] = share >= claim.whole ? end : Math.min(end, wholeEnd(piece.text, measure.cut(piece.text, share, end)));
    shown[index] = place < until ? share > 0 || piece.text === "" : claim.first && share > 0;
  });
  return { ends, shown };
}

// The longest beginning that costs no more than its share, looked for by halves.
function tokenEnd(
  text: string,
  { share, end, tokensOf }: { share: number; end: number; tokensOf: (text: string) => number },
): number {
  let low = 0;
  let high = end;
  while (high - low > 16) {
    const middle = Math.floor((low + high) / 2);
    if (tokensOf(text.slice(0, middle)) <= share) low = middle;
    else high = middle;
  }
  return low;
}
