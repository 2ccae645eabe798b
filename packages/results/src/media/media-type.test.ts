import { describe, expect, it } from "vitest";
import { normalMediaType, pictureType } from "./read-media.ts";

describe("normalMediaType()", () => {
  it.each([
    [" Image/JPG ; q=1", "image/jpeg"],
    ["image/pjpeg", "image/jpeg"],
    ["image/x-png", "image/png"],
    ["image/svg+xml", "image/svg+xml"],
    ["image", undefined],
    ["image/\u0130", undefined],
    ["", undefined],
    [`image/${"x".repeat(64)}`, undefined],
  ])("%j is %j", (type, normal) => {
    expect(normalMediaType(type)).toBe(normal);
  });
});

describe("pictureType()", () => {
  it.each([
    ["\x89PNG\r\n\x1A\n....", "image/png"],
    ["\xFF\xD8\xFF\xE0....", "image/jpeg"],
    ["GIF87a......", "image/gif"],
    ["GIF89a......", "image/gif"],
    ["RIFF....WEBP", "image/webp"],
    ["RIFF....WAVE", undefined],
    ["....    WEBP", undefined],
    ["GIF", undefined],
  ])("%j is %j", (start, type) => {
    expect(pictureType(Buffer.from(start, "latin1").toString("base64"))).toBe(type);
  });
});
