import type { JsonObject, ToolDefinition, ToolGroup } from "@toolport/core";
import type { Catalog } from "../catalog/build-catalog.ts";
import type { RankContext } from "../ranking/rank-tools.ts";
import type { ToolSelector } from "../ranking/tool-selector.ts";

/** What the helpers see of a view. */
export interface HelperContext extends RankContext {
  readonly catalog: () => Catalog;
  /** Whether a tool exists for this agent. */
  readonly allows: (name: string) => boolean;
  /** All tools that do. */
  readonly visible: () => readonly ToolDefinition[];
  readonly groups: () => readonly ToolGroup[];
  readonly maxAnswerBytes: number;
  readonly selector: ToolSelector | undefined;
  /** Makes tools available from the next request on; returns the names that found no place. */
  readonly select: (names: readonly string[]) => readonly string[];
}

/** An answer, and what it cost to find it if a model was asked. */
export interface HelperResult<Answer extends JsonObject> {
  readonly answer: Answer;
  readonly usage?: JsonObject;
}
