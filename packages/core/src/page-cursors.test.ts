import { describe, expect, it } from "vitest";
import { createPageCursors } from "./page-cursors.ts";

const limits = { maxPages: 3, maxCursorLength: 4 };
const yes = (): boolean => true;
const no = (): boolean => false;

describe("createPageCursors()", () => {
  it.each([undefined, null])("ends with %j, whatever the page brings", (end) => {
    for (const bringsMore of [yes, no]) expect(createPageCursors(limits).follow(end, bringsMore)).toEqual({});
  });

  it("follows each cursor once, and as many as the pages allow", () => {
    const cursors = createPageCursors(limits);
    expect(cursors.follow("a", yes)).toEqual({ cursor: "a" });
    expect(cursors.follow("a", yes)).toEqual({ truncated: "repeated-cursor" });
    expect(cursors.follow("b", yes)).toEqual({ truncated: "page-limit" });
  });

  it.each([7, {}, "12345"])("does not follow %j", (cursor) => {
    expect(createPageCursors(limits).follow(cursor, yes)).toEqual({ truncated: "bad-cursor" });
  });

  it("follows an empty cursor, and takes it for the end where the server then starts over", () => {
    const honest = createPageCursors(limits);
    expect(honest.follow("", yes)).toEqual({ cursor: "" });
    expect(honest.follow("a", yes)).toEqual({ cursor: "a" });
    expect(honest.follow("b", yes)).toEqual({ truncated: "page-limit" });
    const sloppy = createPageCursors(limits);
    expect(sloppy.follow("", no)).toEqual({ cursor: "" });
    expect(sloppy.follow("", no)).toEqual({ startedOver: true });
  });

  it("ends where a server ignores cursors, and gives a new one each time", () => {
    const cursors = createPageCursors({ ...limits, maxPages: 100 });
    expect(cursors.follow("a", yes)).toEqual({ cursor: "a" });
    expect(cursors.follow("b", no)).toEqual({ startedOver: true });
  });
});
