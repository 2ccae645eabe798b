import { Tool } from "@mastra/core/tools";
import type { ToolOutcome, JsonObject } from "@hostside/core";
import { toCallAnswer, isCallAnswer, type AnswerFile, type CallAnswer } from "../answer/call-answer.ts";
import { noteQuestion, requiresApproval } from "../answer/approvals.ts";
import { captureOutcome } from "../answer/capture-outcome.ts";
import { onlyTool } from "../declare/only-tool.ts";
import type { DeclaredTool } from "../declared-tool.ts";
import type { ToolSource } from "../tool-source.ts";
import type { ReadMastraOptions } from "./mastra-options.ts";
import { toMastraOutput } from "./to-mastra-output.ts";
import type { StandardSchemaWithJSON } from "@mastra/core/schema";

/** Makes tools of Mastra. */
export interface MastraToolMaker {
  make(tool: DeclaredTool): Tool;
  /** The outcome that an answer was made of. */
  outcomeOf(answer: unknown): ToolOutcome | undefined;
}

/** What a tool is made with. */
export interface ToolMakerInit extends ReadMastraOptions {
  readonly source: ToolSource;
  /** Whether the model of the step takes files in results. */
  readonly takesFiles: () => boolean;
}

/** Makes the tools of one conversation. */
export function createMastraToolMaker({ source, shared, takesFiles }: ToolMakerInit): MastraToolMaker {
  const outcomes = new WeakMap<object, ToolOutcome>();
  const data = new WeakMap<AnswerFile, string>();

  const answer = async (tool: DeclaredTool, args: unknown, signal: AbortSignal | undefined): Promise<CallAnswer> => {
    // Mastra executes no call before it is approved.
    const call = { name: tool.name, args, signal, approved: true };
    const { presented, outcome } = await captureOutcome(onlyTool(tool), call, { ...shared, source });
    // Mastra keeps both this and what the model gets of it, which has the files.
    const { answer: made, dropped } = toCallAnswer(presented, 0);
    if (outcome !== undefined) outcomes.set(made, outcome);
    for (const [file, base64] of dropped) data.set(file, base64);
    return made;
  };
  return {
    make(tool) {
      const { name, description, inputSchema, definition } = tool;
      return new Tool({
        id: name,
        description,
        inputSchema: uncheckedSchema(inputSchema),
        // Else Mastra rewrites the schema for the model's vendor, so that optional members are
        // asked for.
        strict: tool.strict,
        // Asked without the id of the call, and again with the same arguments when the run goes on.
        requireApproval: async (args: unknown) => {
          if (!requiresApproval(source, tool)) return false;
          await noteQuestion(tool, { args }, { ...shared, source });
          return true;
        },
        ...(definition.origin !== undefined && { mcpMetadata: { serverName: definition.origin.serverId } }),
        execute: (input, { abortSignal }): Promise<unknown> => answer(tool, input, abortSignal),
        toModelOutput: (output: unknown) =>
          isCallAnswer(output)
            ? toMastraOutput(output, (file) => (takesFiles() ? data.get(file) : undefined))
            : { type: "text", value: "[the result was not kept in a form that can be read]" },
      });
    },
    outcomeOf: (made) => (typeof made === "object" && made !== null ? outcomes.get(made) : undefined),
  };
}

/**
 * A JSON Schema as Mastra takes schemas, which lets every value pass: the schema is a server's,
 * with patterns that may be hostile, and it is the server, or a policy, that judges the arguments.
 */
function uncheckedSchema(schema: JsonObject): StandardSchemaWithJSON {
  const written = (): Record<string, unknown> => ({ ...schema });
  return {
    "~standard": {
      version: 1,
      vendor: "hostside",
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: written, output: written },
    },
  };
}
