import type { CallOptions, JsonObject, ToolDefinition } from "@hostside/core";
import type { ToolSource } from "../src/declare/tool-source.ts";
import { definitionOf, outcomeOf } from "./outcomes.ts";

/** A source of one tool, `probe`, which answers what a test says. */
export interface SampleSource extends ToolSource {
  readonly calls: { readonly name: string; readonly args: unknown; readonly options: CallOptions | undefined }[];
  offered: readonly ToolDefinition[];
}

/** Makes it; `answer` may be a function, which may throw. */
export function sampleSource(
  answer: JsonObject | ((args: unknown, options: CallOptions | undefined) => Promise<JsonObject> | JsonObject),
  more: Partial<ToolDefinition> = {},
): SampleSource {
  const source: SampleSource = {
    calls: [],
    offered: [definitionOf("probe", more)],
    tools: () => source.offered,
    async call(name, args, options) {
      source.calls.push({ name, args, options });
      const raw = typeof answer === "function" ? await answer(args, options) : answer;
      const { _meta: meta } = raw;
      return { ...outcomeOf(raw), ...(meta !== undefined && { meta: meta as JsonObject }) };
    },
  };
  return source;
}
