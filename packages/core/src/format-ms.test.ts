import { expect, it } from "vitest";
import { formatMs } from "./text.ts";

it.each([
  [7999.997686, "8000 ms"],
  [0.3, "1 ms"],
  [600_000, "600000 ms"],
])("shows %d as %s", (ms, text) => expect(formatMs(ms)).toBe(text));
