import { isToolportError, type ToolOutcome } from "@toolport/core";
import type { Presented, PresentedBlock, ResultPresenter } from "@toolport/results";

/** A presenter that keeps nothing: texts, and a notice where there is none. */
export const plainPresenter: ResultPresenter = {
  present({ content, structuredContent, isError, origin }: ToolOutcome): Presented {
    const blocks = content.flatMap((block): PresentedBlock[] =>
      block.type === "text" && block.text !== "" ? [{ type: "text", part: "content", text: block.text }] : [],
    );
    if (blocks.length === 0) {
      const text = structuredContent === undefined ? "(no output)" : JSON.stringify(structuredContent);
      blocks.push({ type: "text", part: structuredContent === undefined ? "notice" : "structured", text });
    }
    return { blocks, isError, structured: structuredContent, omitted: [], origin };
  },
  presentError(error: unknown): Presented {
    const known = isToolportError(error) ? error : undefined;
    const message = known?.rawMessage ?? "the call failed";
    const violations = known?.details.violations?.map(({ path, message: rule }) => ({ pointer: path, message: rule }));
    const presented = {
      code: known?.code ?? "internal_error",
      kind: known?.kind ?? "system",
      message,
      retryable: known?.retryable ?? false,
      outcome: known?.outcome ?? "unknown",
      violations,
    } as const;
    const blocks = [{ type: "text", part: "error", text: known?.message ?? message }] as const;
    return { blocks, isError: true, error: presented, omitted: [] };
  },
};
