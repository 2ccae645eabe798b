import type { ToolOutcome } from "@hostside/core";
import { runSoon, utf8Length } from "@hostside/core/implement";
import type { Keeper, ResultKeeping } from "./keep/create-keeper.ts";
import { ownerOf } from "./keep/create-handles.ts";
import type { OutcomePiece } from "./keeping.ts";
import { presentRead } from "./present/present-blocks.ts";
import type { PresentSettings } from "./present/present-options.ts";
import { readOutcome, type SafeOutcome } from "./present/read-outcome.ts";
import type { Omission, OmissionReason, Presented } from "./presented.ts";
import type { PresentContext } from "./result-presenter.ts";

/** What presenting and keeping needs. */
export interface KeepingParts {
  readonly settings: PresentSettings;
  readonly toolName: string;
  /** The name of this presenter. */
  readonly keptBy: string;
  readonly keeper: Keeper;
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
  const { settings, toolName, keptBy, keeper } = parts;
  const shown = readOutcome(outcome, settings.maxBlocks);
  const first = presentRead(shown, settings);
  if (!first.omitted.some(isWorthKeeping)) return first;

  // What is left out may be large: others have their turn between the steps.
  const nextTurn = (): Promise<void> => new Promise((resolve) => void runSoon(resolve));
  await nextTurn();
  const safe = readOutcome(outcome, mostBlocks, shown);
  // Notices are longer with a handle in them, so that something else may no longer fit: what it is
  // is found before, and kept as well.
  let missing = piecesOf(presentRead(shown, { ...settings, kept: { tool: toolName, of: () => longest } }).omitted);
  const kept = keeper.begin(safe, { owner: ownerOf(presentContext.context ?? {}, keptBy), presentContext });
  try {
    let presented = first;
    for (let round = 0; round < mostRounds && missing.length > 0; round += 1) {
      await nextTurn();
      await kept.keep(missing);
      await nextTurn();
      presented = presentWith(shown, describeDropped(kept), { ...settings, kept });
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
  const bytes = utf8Length(words);
  if (bytes > settings.maxTextBytes / 2) return presentRead(view, settings);
  const space = { ...settings, maxTextBytes: settings.maxTextBytes - bytes };
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

function describeDropped(kept: ResultKeeping): string | undefined {
  const dropped = kept.dropped();
  if (dropped.length === 0) return undefined;
  const names = dropped.slice(0, mostNamed).map((handle) => JSON.stringify(handle));
  const others = dropped.length > mostNamed ? ` and ${dropped.length - mostNamed} more` : "";
  return `[to make room, what was kept earlier was let go: ${names.join(", ")}${others}]`;
}

const mostNamed = 2;
