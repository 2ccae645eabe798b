import { utf8Length } from "@hostside/core/implement";
import type { ToolOrigin, ToolOutcome } from "@hostside/core";
import { presentBlocks } from "../present/present.ts";
import type { PresentSettings } from "../present/present-options.ts";
import { readOrigin, readOutcome } from "../present/read-outcome.ts";
import { member } from "../present/untrusted.ts";
import type { Presented, PresentedText } from "../presented.ts";
import { keptFromMeta } from "./results-read-tool.ts";

// What the tool answers: words of its own, and a text or a medium that was kept.
const mostBlocks = 2;
const longestHead = 500;

/**
 * Presents an answer of `results_read`: it is within the bounds, and its text is of the server that
 * the kept result came from, so that it stands between that server's marks. `undefined` for any
 * other outcome. Only the product's own tools have an origin without a server, so that no server
 * can pass for this.
 */
export function presentAnswer(outcome: ToolOutcome, tool: string, settings: PresentSettings): Presented | undefined {
  const origin = readOrigin(member(outcome, "origin"));
  if (origin?.serverId !== "" || origin.toolName !== tool) return undefined;
  const { blocks, count, structured, isError } = readOutcome(outcome, mostBlocks);
  const [first, ...others] = blocks;
  const head = member(first, "text");
  if (typeof head !== "string" || head === "" || head.length > longestHead) return undefined;
  if (count > mostBlocks || structured !== undefined) return undefined;
  const own: PresentedText = { type: "text", text: head.toWellFormed(), part: "notice" };
  if (others.length === 0) return { blocks: [own], isError, omitted: [], origin };
  const shown = presentBlocks(
    { content: others, isError, origin: keptFrom(outcome) ?? origin },
    {
      ...settings,
      maxTextBytes: settings.maxTextBytes - utf8Length(own.text),
    },
  );
  return { ...shown, blocks: [own, ...shown.blocks], origin };
}

function keptFrom(outcome: ToolOutcome): ToolOrigin | undefined {
  const from = member(member(outcome, "meta"), keptFromMeta);
  const serverId = member(from, "serverId");
  const toolName = member(from, "toolName");
  if (typeof serverId !== "string" || typeof toolName !== "string") return undefined;
  return { serverId, toolName, qualifiedName: `mcp::${serverId}::${toolName}` };
}
