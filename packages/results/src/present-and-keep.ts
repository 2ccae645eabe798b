import type { Clock, ToolOutcome } from "@hostside/core";
import { createDeadline, formatMs, runSoon, utf8Length } from "@hostside/core/implement";
import type { Keeper, ResultKeeping } from "./keep/create-keeper.ts";
import type { Owners } from "./keep/owner-of.ts";
import type { OutcomePiece } from "./keeping.ts";
import { scaledBlocks, replaceBlocks, type ScaleImage } from "./media/scale-images.ts";
import { presentRead } from "./present/present-blocks.ts";
import type { PresentSettings } from "./present/present-options.ts";
import { readOutcome, type SafeOutcome } from "./present/read-outcome.ts";
import type { Omission, OmissionReason, Presented } from "./presented.ts";
import type { PresentContext } from "./result-presenter.ts";

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

/**
 * Presents an outcome, keeps what that leaves out, and presents it with the handles. Never rejects.
 */
export async function presentAndKeep(
  outcome: ToolOutcome,
  presentContext: PresentContext,
  parts: KeepingParts,
): Promise<Presented> {
  const { settings, toolName, owners, keeper } = parts;
  const shown = readOutcome(outcome, settings.maxBlocks);
  const first = presentRead(shown, settings);
  if (!first.omitted.some(isWorthKeeping)) return first;

  // What is left out may be large: others have their turn between the steps.
  const nextTurn = (): Promise<void> => new Promise((resolve) => void runSoon(parts.scaling.clock, resolve));
  await nextTurn();
  const safe = readOutcome(outcome, mostBlocks, shown);
  const { view: scaledView, scaled } = await scaleLarge(outcome, first.omitted, {
    ...parts,
    signal: presentContext.signal,
  });
  const view = scaledView === outcome ? shown : readOutcome(scaledView, settings.maxBlocks);
  // Notices are longer with a handle in them, so that something else may no longer fit: what it is
  // is found before, and kept as well.
  let missing = piecesOf(presentRead(view, { ...settings, kept: { tool: toolName, of: () => longest } }).omitted);
  missing.push(...scaled);
  const kept = keeper.begin(safe, { owner: owners.ownerOf(presentContext.context), presentContext });
  try {
    let presented = first;
    for (let round = 0; round < mostRounds && missing.length > 0; round += 1) {
      await nextTurn();
      await kept.keep(missing);
      await nextTurn();
      presented = presentWith(view, describeKept(kept, scaled), { ...settings, kept });
      missing = piecesOf(presented.omitted).filter((piece) => kept.of(piece) === undefined);
    }
    return presented;
  } finally {
    kept.end();
  }
}

/** No handle, no count and no reason has more characters. */
const longest = { handle: "f".repeat(32), characters: 1_000_000_000 };

/**
 * Presents an outcome with a notice behind it, both within the bounds; without it, where it would
 * take half of them.
 */
function presentWith(view: SafeOutcome, words: string | undefined, settings: PresentSettings): Presented {
  if (words === undefined) return presentRead(view, settings);
  const { maxTextBytes, maxTokens, tokensOf } = settings;
  const [bytes, tokens] = [utf8Length(words), tokensOf(words)];
  if (bytes > maxTextBytes / 2 || tokens > maxTokens / 2) return presentRead(view, settings);
  const space = { ...settings, maxTextBytes: maxTextBytes - bytes, maxTokens: maxTokens - tokens };
  const presented = presentRead(view, space);
  return { ...presented, blocks: [...presented.blocks, { type: "text", text: words, part: "notice" }] };
}

function isWorthKeeping({ reason }: Omission): boolean {
  return keptReasons.has(reason);
}

function piecesOf(omitted: readonly Omission[]): OutcomePiece[] {
  return omitted.flatMap((omission) =>
    isWorthKeeping(omission) && omission.piece !== undefined ? [omission.piece] : [],
  );
}

/**
 * The outcome with smaller pictures, and where they stand. They are kept as they came, like what is
 * left out.
 */
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
    const blocks = await scaledBlocks(outcome, scaleImage, { maxBytes, maxItems, signal: deadline.signal });
    const scaled = omitted.flatMap(({ piece }): OutcomePiece[] =>
      piece?.part === "block" && blocks.has(piece.index) ? [piece] : [],
    );
    return { view: replaceBlocks(outcome, blocks), scaled };
  } finally {
    deadline.dispose();
  }
}

function isLargePicture({ reason }: Omission): boolean {
  return reason === "too-large";
}

/**
 * Words on what a presentation cannot know: which pictures were made smaller, and which handles had
 * to go.
 */
function describeKept(kept: ResultKeeping, scaled: readonly OutcomePiece[]): string | undefined {
  const lines: string[] = [];
  for (const piece of scaled.slice(0, mostNamed)) {
    const keeping = kept.of(piece);
    if (keeping === undefined) continue;
    const whole = "handle" in keeping ? `as it came: ${kept.tool} ${handleJson(keeping.handle)}` : keeping.notKept;
    lines.push(`[a picture was made smaller; ${whole}]`);
  }
  const dropped = kept.dropped();
  if (dropped.length > 0) {
    const names = dropped.slice(0, mostNamed).map((handle) => JSON.stringify(handle));
    const others = dropped.length > mostNamed ? ` and ${dropped.length - mostNamed} more` : "";
    lines.push(`[to make room, what was kept earlier was let go: ${names.join(", ")}${others}]`);
  }
  return lines.length === 0 ? undefined : lines.join("\n");
}

const mostNamed = 2;

function handleJson(handle: string): string {
  return JSON.stringify({ handle });
}
