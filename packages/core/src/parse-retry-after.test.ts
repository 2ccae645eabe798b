import { describe, expect, it } from "vitest";
import { parseRetryAfter } from "./parse-retry-after.ts";

const now = Date.parse("Wed, 21 Oct 2026 07:28:00 GMT");

describe("parseRetryAfter()", () => {
  it.each<[string | undefined, number | undefined]>([
    ["0", 0],
    ["120", 120_000],
    [" 5 ", 5000],
    ["99999999", 3_600_000],
    ["Wed, 21 Oct 2026 07:28:30 GMT", 30_000],
    ["Wed, 21 Oct 2026 07:00:00 GMT", 0],
    ["Fri, 31 Dec 2100 00:00:00 GMT", 3_600_000],
    ["-5", undefined],
    ["1.5", undefined],
    ["soon", undefined],
    ["", undefined],
    ["9".repeat(400), undefined],
    [undefined, undefined],
  ])("reads %j as %s ms", (value, expected) => expect(parseRetryAfter(value, now)).toBe(expected));
});
