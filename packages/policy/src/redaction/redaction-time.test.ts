import { describe, expect, it } from "vitest";
import { cpuSecondsOf } from "../../../../test/cpu-seconds.ts";
import { outcomeOf, stageCall, stageParts } from "../../test/still-parts.ts";
import { createRedaction } from "./create-redaction.ts";

async function secondsOf(result: Parameters<typeof outcomeOf>[0]): Promise<number> {
  const { interceptor } = createRedaction({ values: ["hunter2-known", "an other/value"], keys: ["pin"] }, stageParts());
  const outcome = outcomeOf(result);
  return cpuSecondsOf(() => interceptor(stageCall(), async () => outcome));
}

// Half a megabyte takes a fifth of a second at most in linear time, and most of a minute in
// quadratic time.
const longText = 512 * 1024;
const longest = 10;

describe("a hostile text is masked in linear time", () => {
  it.each([
    ["words", "The quick brown fox jumps over it. "],
    ["beginnings of a JWT", "eyJhbGciOi"],
    ["beginnings of a JWT in pieces", "eyJhbGciOi."],
    ["one run", "a"],
    ["tokens", `ghp_${"aB3dE6gH9jK2mN5pQ8sT1vW4yZ7".repeat(2)} `],
    ["keys and values", '{"password":"hunter2","token":"abc"},'],
    ["other keys and values", "a_token=b&"],
    ["delimiters", "=:>"],
    ["quotation marks", `"password":"`],
    ["marks that never end", `token="a\ntoken='b\ntoken=\`c\n`],
    ["nested lists", '"tokens":[{'],
    ["backslashes", "\\"],
    ["backslashes in a list", '"tokens":[\\\\\\\\\\'],
    ["escaped pairs", '\\"password\\":\\"x\\",'],
    ["private keys that never end", `${"-".repeat(5)}BEGIN PRIVATE KEY${"-".repeat(5)}\n`],
    ["bearers", "Bearer abc-"],
    ["users in URLs", "https://a:"],
    ["placeholders", "[secret:deadbeefcafe0123] token=x "],
    ["the value that the host knows", "hunter2-known"],
    ["percent signs", "%2570assword%253D"],
    ["spaces", " "],
    ["digits", '"token":1234567890'],
  ])("%s", async (_, unit) => {
    const text = unit.repeat(Math.ceil(longText / unit.length));
    expect(await secondsOf({ content: [{ type: "text", text }] })).toBeLessThan(longest);
  });

  it("many short texts", async () => {
    const structuredContent = Array.from({ length: 100_000 }, (_, at) => `a${at}=`);
    expect(await secondsOf({ structuredContent })).toBeLessThan(longest);
  });
});
