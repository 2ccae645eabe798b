import { describe, expect, it } from "vitest";
import { dialogues } from "./dialogues/all-dialogues.ts";
import { compareTranscripts } from "./dialogues/compare-transcripts.ts";
import { explanations } from "./dialogues/explanations.ts";
import { canTalk, holdDialogue, peers } from "./dialogues/hold-dialogue.ts";
import { explanationsOf, wireDifferencesPage, type SeenDifference } from "./dialogues/wire-differences-page.ts";

const meetings = dialogues.flatMap((dialogue) => dialogue.over.map((venue) => ({ dialogue, venue })));
const seen: SeenDifference[] = [];

describe("the wire looks as it does when the official SDK speaks, but for what is explained", () => {
  it.concurrent.each(meetings)("$dialogue.id, $venue", { timeout: 120_000 }, async ({ dialogue, venue }) => {
    const ours = await holdDialogue(dialogue, venue, "Hostside");
    expect(ours.client.length).toBeGreaterThan(1);
    for (const peer of peers.filter((each) => canTalk(each, venue))) {
      const theirs = await holdDialogue(dialogue, venue, peer);
      const found = compareTranscripts(ours, theirs).map((text) => ({
        text,
        dialogue: dialogue.id,
        venue,
        peer,
      }));
      seen.push(...found);
      const unexplained = found.filter((difference) => explanationsOf(difference, explanations).length !== 1);
      expect(unexplained).toEqual([]);
    }
  });
});

describe("the page of differences", () => {
  it("explains nothing that is no longer seen", () => {
    const stale = explanations.flatMap(({ id, differences }) =>
      differences
        .filter((difference) => !seen.some(({ text }) => difference.test(text)))
        .map((each) => `${id}: ${each}`),
    );
    expect(stale).toEqual([]);
  });

  it("is what was seen", async () => {
    await expect(wireDifferencesPage(dialogues, explanations, seen)).toMatchFileSnapshot(
      "../../docs/internals/wire-differences.md",
    );
  });
});
