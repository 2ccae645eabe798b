import type { CallContext, JsonObject, ToolGroup, UnreadyGroup } from "@hostside/core";
import type { ToolboxCatalog } from "../catalog/inspect-definitions.ts";
import type { Offer } from "../offer/offer.ts";
import type { PermittedPart } from "../offer/permitted.ts";
import type { ModelToolSelector, RankContext } from "../ranking/rank-tools.ts";
import type { TokenCounter } from "../tokens/token-counter.ts";

/** What the helpers see of a view. */
export interface HelperContext extends RankContext {
  readonly catalog: () => ToolboxCatalog;
  /** What exists for this agent. */
  readonly permitted: () => PermittedPart;
  /** What a group is for, in a line to choose by. */
  readonly about: (group: ToolGroup) => string;
  /** Groups whose servers are not ready. */
  readonly unready: () => readonly UnreadyGroup[];
  /** What the host has to say of one of them. */
  readonly noteUnready: ((group: UnreadyGroup) => string | undefined) | undefined;
  /** What it has declared, and where what is found goes. */
  readonly offer: Offer;
  readonly tokens: TokenCounter;
  readonly answerSchemas: "when-undeclared" | "always";
  readonly selector: ModelToolSelector | undefined;
}

/** Who asks a helper, and how long they wait. */
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
