import type { Clock, ToolOutcome } from "@toolport/core";
import { createDeadline, formatMs } from "@toolport/core/implement";
import type { Keeper, KeptResult } from "./keep/create-keeper.ts";
import type { Owners } from "./keep/owner-of.ts";
import type { KeptPieces, OutcomePiece } from "./keeping.ts";
import { scaleImages, type ScaleImage } from "./media/scale-images.ts";
import { presentBlocks } from "./present/present-blocks.ts";
import type { PresentSettings } from "./present/present-options.ts";
import { readOutcome } from "./present/read-outcome.ts";
import type { Omission, OmissionReason, Presented, PresentedText } from "./presented.ts";
import type { PresentOccasion } from "./result-presenter.ts";

/** What presenting and keeping needs. */
export interface KeepingParts {
  readonly settings: PresentSettings;
  readonly toolName: string;
  readonly owners: Owners;
  readonly keeper: Keeper;
  readonly scaling: Scaling;
}

/** How pictures are made smaller. */
export interface Scaling {
  readonly scaleImage: ScaleImage | undefined;
  readonly clock: Clock;
  /** For all pictures of one result. */
  readonly timeoutMs: number;
}

// What is bad, unknown or not for the model is not kept either.
const keptReasons: ReadonlySet<OmissionReason> = new Set(["too-large", "too-many", "type-not-allowed", "wrong-type"]);
const mostBlocks = 100_000;
const mostRounds = 3;
const noticeBytes = 600;

/** Presents an outcome, keeps what that leaves out, and presents it with the handles. Never rejects. */
export async function presentAndKeep(
  outcome: ToolOutcome,
  occasion: PresentOccasion,
  parts: KeepingParts,
): Promise<Presented> {
  const { settings, toolName, owners, keeper } = parts;
  const first = presentBlocks(outcome, settings);
  if (!first.omitted.some(isWorthKeeping)) return first;

  const safe = readOutcome(outcome, mostBlocks);
  const { view, scaled } = await scaleLarge(outcome, first.omitted, { ...parts, signal: occasion.signal });
  const owner = owners.ownerOf(occasion.context);
  const kept: KeptResult[] = [];
  const of: KeptPieces["of"] = (piece) => kept.map((one) => one.of(piece)).find((keeping) => keeping !== undefined);
  // Notices are longer with a handle in them, so that something else may no longer fit: what it is is found before, and kept as well.
  let missing = piecesOf(presentBlocks(view, { ...settings, kept: { tool: toolName, of: () => longest } }).omitted);
  missing.push(...scaled);
  let presented = first;
  for (let round = 0; round < mostRounds && missing.length > 0; round += 1) {
    kept.push(await keeper.keep(safe, missing, { owner, occasion }));
    const extra = describeKept(kept, scaled, { tool: toolName, of });
    const room = extra === undefined ? settings : { ...settings, maxTextBytes: settings.maxTextBytes - noticeBytes };
    presented = presentBlocks(view, { ...room, kept: { tool: toolName, of } });
    missing = piecesOf(presented.omitted).filter((piece) => of(piece) === undefined);
    if (extra !== undefined) presented = { ...presented, blocks: [...presented.blocks, extra] };
  }
  return presented;
}

/** No handle, no count and no reason has more characters. */
const longest = { handle: "f".repeat(32), characters: 1_000_000_000 };

function isWorthKeeping({ reason }: Omission): boolean {
  return keptReasons.has(reason);
}

function piecesOf(omitted: readonly Omission[]): OutcomePiece[] {
  return omitted.flatMap((omission) =>
    isWorthKeeping(omission) && omission.piece !== undefined ? [omission.piece] : [],
  );
}

/** The outcome with smaller pictures, and where they stand. They are kept as they came, like what is left out. */
async function scaleLarge(
  outcome: ToolOutcome,
  omitted: readonly Omission[],
  parts: KeepingParts & { readonly signal: AbortSignal | undefined },
): Promise<{ readonly view: ToolOutcome; readonly scaled: readonly OutcomePiece[] }> {
  const { scaling, settings, signal: given } = parts;
  const { scaleImage, clock, timeoutMs } = scaling;
  if (scaleImage === undefined || !omitted.some(isLargePicture)) return { view: outcome, scaled: [] };
  const onTimeout = (): Error => new Error(`making pictures smaller took longer than ${formatMs(timeoutMs)}`);
  const deadline = createDeadline({ timeoutMs, signal: given, clock, onTimeout });
  try {
    const { maxItemBytes: maxBytes, maxItems } = settings;
    const view = await scaleImages(outcome, scaleImage, { maxBytes, maxItems, signal: deadline.signal });
    if (view === outcome) return { view, scaled: [] };
    const scaled = omitted.flatMap(({ piece }): OutcomePiece[] =>
      piece?.part === "block" && view.content[piece.index] !== outcome.content[piece.index] ? [piece] : [],
    );
    return { view, scaled };
  } finally {
    deadline.dispose();
  }
}

function isLargePicture({ reason }: Omission): boolean {
  return reason === "too-large";
}

/** Words on what a presentation cannot know: which pictures were made smaller, and which handles had to go. */
function describeKept(
  kept: readonly KeptResult[],
  scaled: readonly OutcomePiece[],
  pieces: KeptPieces,
): PresentedText | undefined {
  const lines: string[] = [];
  for (const piece of scaled.slice(0, mostNamed)) {
    const keeping = pieces.of(piece);
    if (keeping === undefined) continue;
    const whole = "handle" in keeping ? `as it came: ${pieces.tool} ${handleJson(keeping.handle)}` : keeping.notKept;
    lines.push(`[a picture was made smaller; ${whole}]`);
  }
  const dropped = kept.flatMap((one) => one.dropped);
  if (dropped.length > 0) {
    const names = dropped.slice(0, mostNamed).map((handle) => JSON.stringify(handle));
    const others = dropped.length > mostNamed ? ` and ${dropped.length - mostNamed} more` : "";
    lines.push(`[to make room, what was kept earlier was let go: ${names.join(", ")}${others}]`);
  }
  return lines.length === 0 ? undefined : { type: "text", text: lines.join("\n"), part: "notice" };
}

const mostNamed = 2;

function handleJson(handle: string): string {
  return JSON.stringify({ handle });
}
