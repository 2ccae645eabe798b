import type { ToolOutcome } from "@hostside/core";
import { runSoon } from "@hostside/core/implement";
import { scopeOf } from "./keep/create-handles.ts";
import type { Keeper } from "./keep/create-keeper.ts";
import type { OutcomePiece } from "./presented.ts";
import { presentRead } from "./present/present.ts";
import type { PresentSettings } from "./present/present-options.ts";
import { readOutcome } from "./present/read-outcome.ts";
import type { Omission, OmissionReason, Presented } from "./presented.ts";
import type { PresentContext } from "./presented.ts";

/** The parts of presenting and keeping. */
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
  { context = {}, signal }: PresentContext,
  { settings, toolName, keptBy, keeper }: KeepingParts,
): Promise<Presented> {
  const shown = readOutcome(outcome, settings.maxBlocks);
  let presented = presentRead(shown, settings);
  if (!presented.omitted.some(isWorthKeeping)) return presented;

  // What is left out may be large: others have their turn between the steps.
  const nextTurn = (): Promise<void> => new Promise((resolve) => void runSoon(resolve));
  await nextTurn();
  const safe = readOutcome(outcome, mostBlocks, shown);
  // Notices are longer with a handle in them, so that something else may no longer fit: what it is
  // is found before, and kept as well.
  let missing = piecesOf(presentRead(shown, { ...settings, kept: { tool: toolName, of: () => longest } }));
  const { conversation } = context;
  const kept = keeper.begin(safe, { scope: scopeOf(context, keptBy), conversation, signal });
  try {
    for (let round = 0; round < mostRounds && missing.length > 0; round += 1) {
      await nextTurn();
      await kept.keep(missing);
      await nextTurn();
      presented = presentRead(shown, { ...settings, kept });
      missing = piecesOf(presented).filter((piece) => kept.of(piece) === undefined);
    }
    return presented;
  } finally {
    kept.end();
  }
}

/** No handle, no count and no reason has more characters. */
const longest = { handle: "f".repeat(32), characters: 1_000_000_000 };

function isWorthKeeping({ reason }: Omission): boolean {
  return keptReasons.has(reason);
}

function piecesOf({ omitted }: Presented): readonly OutcomePiece[] {
  return omitted.filter(isWorthKeeping).flatMap(({ piece }) => piece ?? []);
}
