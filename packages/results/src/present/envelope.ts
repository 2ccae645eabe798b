import type { ContentBlock, JsonObject, JsonValue, ToolOutcome } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import { member } from "./untrusted.ts";

/** A result whole, with its origin: for the host's audit and its stores, never for a model. */
export interface ResultEnvelope {
  readonly output: {
    readonly server_id: string;
    /** The server's own name for the tool. */
    readonly tool: string;
    /** `null` also where there is none. */
    readonly structured_content: JsonValue;
    readonly content: readonly ContentBlock[];
    /** `null` where there is none. */
    readonly _meta: JsonObject | null;
  };
  /**
   * `true` where the outcome is an error, `false` where the server says that it is none, `null`
   * where it says nothing.
   */
  readonly is_error: boolean | null;
  readonly usage: { readonly requests: 1 };
}

/** An outcome as an envelope: the very values of the outcome, neither bounded nor checked. */
export function presentEnvelope(outcome: ToolOutcome): ResultEnvelope {
  const origin = member(outcome, "origin");
  const text = (value: unknown): string => (typeof value === "string" ? value : "");
  const content = member(outcome, "content");
  const meta = member(outcome, "meta");
  return {
    output: {
      server_id: text(member(origin, "serverId")),
      tool: text(member(origin, "toolName")),
      structured_content: (member(outcome, "structuredContent") ?? null) as JsonValue,
      content: Array.isArray(content) ? (content as readonly ContentBlock[]) : [],
      _meta: isJsonObject(meta) ? meta : null,
    },
    is_error: readIsError(outcome),
    usage: { requests: 1 },
  };
}

// An outcome may be an error by the word of a layer of the host, whatever its server said.
function readIsError(outcome: ToolOutcome): boolean | null {
  if (member(outcome, "isError") === true) return true;
  return member(member(outcome, "raw"), "isError") === false ? false : null;
}
