import type { CallContext, JsonObject, ToolGroup, UnreadyGroup } from "@hostside/core";
import type { ToolboxCatalog } from "../catalog/toolbox-catalog.ts";
import type { Offer } from "../offer/offer.ts";
import type { PermittedPart } from "../offer/permitted.ts";
import type { ModelToolSelector, RankContext } from "../ranking/rank-tools.ts";

/** The part of a view that the helpers see. */
export interface HelperContext extends RankContext {
  readonly catalog: () => ToolboxCatalog;
  /** The tools and groups of this agent. */
  readonly permitted: () => PermittedPart;
  /** Says what a group is for, in a line to choose by. */
  readonly about: (group: ToolGroup) => string;
  /** Groups whose servers are not ready. */
  readonly unready: () => readonly UnreadyGroup[];
  /** The host's note on one of them. */
  readonly noteUnready: ((group: UnreadyGroup) => string | undefined) | undefined;
  /** The declared tools, and the place for tools that are found. */
  readonly offer: Offer;
  readonly answerSchemas: "when-undeclared" | "always";
  readonly selector: ModelToolSelector | undefined;
}

/** The caller of a helper, and how long it waits. */
export interface HelperOptions {
  /** Ends the wait, with `aborted`. */
  readonly signal?: AbortSignal | undefined;
  /** For the product's own ranker and selector; nobody else sees it. */
  readonly context?: CallContext | undefined;
}

/** An answer, and what it cost to find it if a model was asked. */
export interface HelperResult<Answer extends JsonObject> {
  readonly answer: Answer;
  readonly usage?: JsonObject;
}
