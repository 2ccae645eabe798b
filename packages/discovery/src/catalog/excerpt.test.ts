import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { test } from "../../../../test/property-test.ts";
import { cutClause, excerptOf } from "./excerpt.ts";

const rest =
  "Filler that makes it long enough to be cut, which is the only thing that it is for, and nothing else at all.";

describe("excerptOf()", () => {
  it("keeps a short text as it is, cleaned", () => {
    expect(excerptOf(" IMPORTANT: short. Lists\u001b[31m things. ", 200)).toBe("IMPORTANT: short. Lists things.");
  });

  it.each([
    ["pictures and labels", "\n    🎯 Purpose:\n      1. Lists deals of a user.\n\n    📋 Returns:\n      1. Deals."],
    [
      "guardrails first",
      "🛡️ Guardrails:\n  1. Data modification.\n  2. Ask first.\n\n  🎯 Purpose:\n  1. Lists deals of a user.",
    ],
    ["a heading", `## Deals\n\nLists deals of a user.\n\n**Note:** ${rest}`],
    ["a heading that is underlined", `Deals\n=====\nLists deals\nof a user.\n\nArgs:\n  limit: how many`],
    ["a warning", `**IMPORTANT:** Never call it twice. You MUST sign in. Lists deals of a user. Always page. ${rest}`],
    [
      "code and tags",
      `Example:\n\n\`\`\`sh\ncurl -s https://deals\n\`\`\`\n\n<use_case> Lists deals of a user.</use_case>\n<rules>\n- Never ${rest}`,
    ],
    [
      "code that has backticks itself",
      `\`\`\`sql\nSELECT \`id\` FROM \`deals\`;\n\`\`\`\n\nLists deals of a user.\n\nNotes:\n- ${rest}`,
    ],
    [
      "code in a longer fence",
      `\`\`\`\`md\n\`\`\`sh\ncurl\n\`\`\`\n\`\`\`\`\nLists deals of a user.\n\nNotes:\n- ${rest}`,
    ],
    ["a label in the line", `Description: Lists deals of a user.\nReturns:\n- ${rest}`],
    ["what is over at a blank line", `Requirements:\n- a key\n\nLists deals of a user.\n\nNotes:\n- ${rest}`],
  ])("begins with the sentence that says what it does, past %s", (_, text) => {
    expect(excerptOf(text, 100)).toBe("Lists deals of a user.");
  });

  it("takes whole sentences, as many as fit, and no full stop inside of one for the end", () => {
    const text = `Lists deals, e.g. of v1.2 shops. By default the open ones. ${rest}`;
    expect(excerptOf(text, 100)).toBe("Lists deals, e.g. of v1.2 shops. By default the open ones.");
  });

  it("cuts a sentence that is too long where a clause or a word ends", () => {
    expect(excerptOf(rest, 60)).toBe("Filler that makes it long enough to be cut…");
    expect(cutClause("Lists some deals, and nobody knows how many of them there are", 40)).toBe(
      "Lists some deals, and nobody knows how…",
    );
    expect(cutClause("x".repeat(50), 40)).toHaveLength(40);
  });

  it("says something where everything is an aside", () => {
    expect(excerptOf(`Do not use it. Never. ${rest.replace("Filler", "Always")}`, 60)).toBe("Do not use it.");
  });

  test.prop([fc.string({ unit: "grapheme", maxLength: 3000 }), fc.integer({ min: 20, max: 300 })])(
    "is never longer than asked, nor empty where there is something to say",
    (text, maxLength) => {
      const excerpt = excerptOf(text, maxLength);
      expect(excerpt.length).toBeLessThanOrEqual(maxLength);
      expect(excerpt.isWellFormed()).toBe(true);
    },
  );

  it("shortens thousands of hostile texts in a row", () => {
    for (const text of [`${"x ".repeat(8)}${"!".repeat(3985)}a`, `a${"\n".repeat(3998)}b`])
      for (let tool = 0; tool < 1500; tool += 1) expect(excerptOf(text, 200).length).toBeLessThanOrEqual(200);
  });

  it("reads a bounded part of hostile texts", () => {
    for (const text of ["a: ", "# ", "- ", "```", "``` \n", "*_", "!?", ". A", "\n\n:", "(e.g."])
      expect(excerptOf(text.repeat(300_000), 200).length).toBeLessThanOrEqual(200);
  });
});
