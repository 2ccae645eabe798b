import { describe, expect, it } from "vitest";
import { conversations } from "./conversations/all-conversations.ts";
import { compareTranscripts } from "./conversations/compare-transcripts.ts";
import { explanations } from "./conversations/explanations.ts";
import { canTalk, holdConversation, peers } from "./conversations/hold-conversation.ts";
import { explanationsOf, wireDifferencesPage, type SeenDifference } from "./conversations/wire-differences-page.ts";

const meetings = conversations.flatMap((conversation) => conversation.over.map((venue) => ({ conversation, venue })));
const seen: SeenDifference[] = [];

describe("the wire looks as it does when the official SDK speaks, but for what is explained", () => {
  it.concurrent.each(meetings)("$conversation.id, $venue", { timeout: 120_000 }, async ({ conversation, venue }) => {
    const ours = await holdConversation(conversation, venue, "Toolport");
    expect(ours.client.length).toBeGreaterThan(1);
    for (const peer of peers.filter((each) => canTalk(each, venue))) {
      const theirs = await holdConversation(conversation, venue, peer);
      const found = compareTranscripts(ours, theirs).map((text) => ({
        text,
        conversation: conversation.id,
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
    await expect(wireDifferencesPage(conversations, explanations, seen)).toMatchFileSnapshot(
      "../../docs/wire-differences.md",
    );
  });
});
