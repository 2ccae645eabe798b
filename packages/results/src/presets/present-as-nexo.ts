import { headWithin } from "@hostside/core/implement";
import { isKnownContent, type ContentBlock, type ToolOrigin, type ToolOutcome } from "@hostside/core";
import { readError } from "../errors/present-error.ts";
import { oneLine, quoted } from "../present/untrusted.ts";
import { presentDefaults } from "../present/present-options.ts";
import { readOutcome, type SafeOutcome } from "../present/read-outcome.ts";
import { decodedSize, unsaidStructured } from "./present-as-evva.ts";

/** A result as nexo's tools answer it: a text, or an error with its words. */
export type NexoResult = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly error: string };

/**
 * A result in the shape that nexo's agents know: its parts as texts, joined by blank lines, with
 * `[image: type, N bytes]` for a picture and `[resource: uri]` for a resource that is no text. One
 * that says that it failed becomes an error with the server and the tool. Structured content that
 * no text says comes last. Bounded as {@linkcode presentDefaults} says, with words for what is
 * missing; never throws.
 */
export function presentAsNexo(outcome: ToolOutcome): NexoResult {
  const safe = readOutcome(outcome, presentDefaults.maxBlocks);
  const parts = safe.blocks.map((block) => partFor(block));
  if (safe.count > safe.blocks.length) parts.push(`[${safe.count - safe.blocks.length} more parts are not shown]`);
  const structured = structuredPart(safe);
  if (structured !== undefined) parts.push(structured);
  const text = bounded(parts);
  if (!safe.isError) return { ok: true, text };
  return { ok: false, error: `${prefixFor(safe.origin)} failed: ${text}` };
}

/**
 * An error in the shape that nexo's agents know. `origin`: which tool was called, where the error
 * does not say.
 */
export function presentErrorAsNexo(error: unknown, origin?: Pick<ToolOrigin, "serverId" | "toolName">): NexoResult {
  const { error: shown, serverId, toolName } = readError(error);
  const lines = (shown.violations ?? []).map(({ pointer, message }) => `\n- ${pointer}: ${message}`);
  const place = { serverId: serverId ?? origin?.serverId ?? "", toolName: toolName ?? origin?.toolName ?? "" };
  return { ok: false, error: `${prefixFor(place)} error: ${shown.message}${lines.join("")}`.toWellFormed() };
}

function partFor(block: ContentBlock | undefined): string {
  if (block === undefined) return "[content that is no block]";
  if (!isKnownContent(block)) return `[content of the kind ${quoted(block.type)}]`;
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
    case "audio":
      return `[${block.type}: ${oneLine(block.mimeType, 80)}, ${decodedSize(block.data)} bytes]`;
    case "resource_link":
      return `[resource: ${oneLine(block.uri, 512)}]`;
    case "resource":
      return block.resource.text ?? `[resource: ${oneLine(block.resource.uri, 512)}]`;
  }
}

function structuredPart(safe: SafeOutcome): string | undefined {
  const written = unsaidStructured(safe);
  if (written === undefined) return undefined;
  return written.kind === "json" ? written.json : `[structured content: ${written.why}]`;
}

function bounded(parts: readonly string[]): string {
  const { maxTextBytes } = presentDefaults;
  const units = parts.reduce((sum, part) => sum + part.length, 2 * Math.max(0, parts.length - 1));
  // Of a part no more than may be shown is joined: all of them may be too much for any runtime.
  const text = parts.map((part) => part.slice(0, maxTextBytes + 1)).join("\n\n");
  const { end } = headWithin(text, maxTextBytes);
  const head = text.slice(0, end).toWellFormed();
  return end === units ? head : `${head}\n\n[${units - end} more characters are not shown]`;
}

function prefixFor(origin: Pick<ToolOrigin, "serverId" | "toolName"> | undefined): string {
  return `mcp '${oneLine(origin?.serverId ?? "", 128)}' tool '${oneLine(origin?.toolName ?? "", 128)}'`;
}
