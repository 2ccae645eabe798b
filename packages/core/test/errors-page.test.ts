import { readFileSync } from "node:fs";
import { errorCodes } from "@hostside/core";
import { describe, expect, it } from "vitest";

const page = readFileSync(new URL("../../../docs/reference/errors.md", import.meta.url), "utf8");

type ErrorCodeEntry = (typeof errorCodes)[keyof typeof errorCodes];

interface Section {
  readonly code: string;
  /** The heading above it. */
  readonly group: string;
  readonly entry: ErrorCodeEntry;
  readonly causes: string;
  readonly remedy: string;
}

const shape = new RegExp(
  [
    "^### `(?<code>\\w+)`",
    "(?<meaning>.+)",
    "Kind `(?<kind>\\w+)` · retryable (?<retryable>yes|no|if it did not run) · outcome `(?<outcome>[\\w-]+)`\\.",
    "\\*\\*Causes\\.\\*\\* (?<causes>.+)",
    "\\*\\*What to do\\.\\*\\* (?<remedy>.+)$",
  ].join("\n\n"),
);

describe("docs/reference/errors.md", () => {
  const sections = readSections(page);

  it("has one section for every code, in the order of the list, and no other", () => {
    expect(sections.map(({ code }) => code)).toEqual(Object.keys(errorCodes));
  });

  it.each(sections.map((section) => [section.code, section] as const))(
    "says of %s what the list says",
    (code, section) => {
      expect({ code, ...section.entry }).toEqual({ code, ...Reflect.get(errorCodes, code) });
      expect(section.group.toLowerCase()).toBe(section.entry.kind);
      expect(section.causes).toMatch(/\w.*\.$/);
      expect(section.remedy).toMatch(/\w.*\.$/);
    },
  );

  it("explains every kind and every outcome", () => {
    const rows = Array.from(page.matchAll(/^\| `([\w-]+)` \| .+ \|$/gm), ([, name]) => name);
    expect(rows).toEqual(["contract", "auth", "execution", "policy", "system", "not-sent", "unknown", "failed"]);
  });
});

function readSections(text: string): readonly Section[] {
  let group = "";
  return text.split(/^(?=##)/m).flatMap((chunk) => {
    group = /^## (\w+)/.exec(chunk)?.[1] ?? group;
    return chunk.startsWith("### ") ? [readSection(chunk.trim(), group)] : [];
  });
}

function readSection(text: string, group: string): Section {
  const { code, meaning, kind, retryable, outcome, causes, remedy } = shape.exec(text)?.groups ?? {};
  // What the page says is compared with the list; whether it is one of the literals shows there.
  const entry = { kind, retryable: retryable === retryableWord(outcome), outcome, meaning } as ErrorCodeEntry;
  return { code: code ?? text, group, entry, causes: causes ?? "", remedy: remedy ?? "" };
}

// An error that does not know whether the call ran is not retryable, whatever its code.
function retryableWord(outcome: string | undefined): string {
  return outcome === "unknown" ? "if it did not run" : "yes";
}
