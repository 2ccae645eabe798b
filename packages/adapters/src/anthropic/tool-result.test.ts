import type { PresentedBlock } from "@hostside/results";
import { describe, expect, it } from "vitest";
import { toToolResult } from "./tool-result.ts";

const contentOf = (blocks: readonly PresentedBlock[], isError = false): unknown =>
  toToolResult("id", { blocks, isError, omitted: [] }).result.content;
const text = (value: string): PresentedBlock => ({ type: "text", part: "content", text: value });
const file = (data: string): PresentedBlock => ({ type: "file", mimeType: "text/plain", data, bytes: 1 });

describe("toToolResult()", () => {
  it("has no blank text, which would be refused with the whole request", () => {
    expect(contentOf([text(" \n"), text("a"), text("\u00a0")])).toEqual([{ type: "text", text: "a" }]);
    expect(contentOf([text("\n")])).toEqual([{ type: "text", text: "(blank text)" }]);
    expect(contentOf([text("\t")], true)).toEqual([{ type: "text", text: "(blank text)" }]);
    expect(contentOf([file("Cg==")])).toEqual([{ type: "text", text: "(blank text)" }]);
  });

  it("has a plain text as a document, read as UTF-8 whatever its bytes are", () => {
    const document = (data: string): object => ({
      type: "document",
      source: { type: "text", media_type: "text/plain", data },
    });
    expect(contentOf([file("w6Q=")])).toEqual([document("ä")]);
    expect(contentOf([file("/2E=")])).toEqual([document("\ufffda")]);
  });

  it("has a notice for a picture of a type that the API does not take", () => {
    const picture: PresentedBlock = { type: "image", mimeType: "image/tiff", data: "AA==", bytes: 1 };
    expect(contentOf([picture])).toEqual([{ type: "text", text: expect.stringContaining("image/tiff") }]);
  });
});
