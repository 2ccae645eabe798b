import { isKnownContent, type ToolOutcome } from "@hostside/core";
import { present, type Omission, type PresentedBlock } from "@hostside/results";

/** A text of a result, for people. */
export interface ReportedText {
  readonly kind: "text";
  readonly text: string;
}

/** Structured content that no text says. */
export interface ReportedData {
  readonly kind: "data";
  readonly value: unknown;
}

/** Bytes of a result, to be saved. */
export interface ReportedFile {
  readonly kind: "file";
  /** Lower case, without parameters; a server's word. */
  readonly mimeType: string;
  readonly data: Uint8Array;
}

/** What is not shown, in words of this host. */
export interface ReportedNotice {
  readonly kind: "notice";
  readonly text: string;
}

/** A result as a person gets it, in its own order. */
export interface OutcomeReport {
  readonly parts: readonly (ReportedText | ReportedData | ReportedFile | ReportedNotice)[];
  readonly isError: boolean;
}

const mebibyte = 1024 * 1024;
const families = ["application", "audio", "font", "image", "message", "model", "multipart", "text", "video"];

/**
 * What a model would get of a result, without the bounds of a model: every text whole, structured
 * content where no text says the same, all bytes. Pure; never throws, whatever the server sent.
 */
export function reportOutcome(outcome: ToolOutcome): OutcomeReport {
  const { blocks, isError, omitted } = present(outcome, "blocks", {
    maxTextBytes: 1024 * mebibyte,
    maxBlocks: 100_000,
    media: { types: families.map((family) => `${family}/*`), maxItemBytes: 1024 * mebibyte, maxItems: 10_000 },
  });
  const parts = blocks.map((block) => reportBlock(block));
  // A model must not be shown what is not what it says; a person may want to look at it.
  return { parts: [...parts, ...omitted.flatMap((one) => rescue(one, outcome))], isError };
}

function reportBlock(block: PresentedBlock): OutcomeReport["parts"][number] {
  if (block.type !== "text") return { kind: "file", mimeType: block.mimeType, data: Buffer.from(block.data, "base64") };
  const { part, text } = block;
  if (part === "notice" || part === "error") return { kind: "notice", text };
  return part === "structured" ? { kind: "data", value: JSON.parse(text) as unknown } : { kind: "text", text };
}

function rescue({ reason, piece }: Omission, { content }: ToolOutcome): readonly ReportedFile[] {
  if ((reason !== "wrong-type" && reason !== "type-not-allowed") || piece?.part !== "block") return [];
  const block = content[piece.index];
  if (block === undefined || !isKnownContent(block)) return [];
  const text = block.type === "resource" ? block.resource.blob : "data" in block ? block.data : undefined;
  if (typeof text !== "string") return [];
  return [{ kind: "file", mimeType: "application/octet-stream", data: Buffer.from(text, "base64") }];
}
