// For products: the tools of a source as Mastra takes them.
import type { JsonObject, ToolOutcome } from "@hostside/core";
import { kindOf, type Fields } from "@hostside/core/implement";
import type { ToolsInput } from "@mastra/core/agent";
import type { StandardSchemaWithJSON } from "@mastra/core/schema";
import * as mastraTools from "@mastra/core/tools";
import { Tool } from "@mastra/core/tools";
import { createAnswerer } from "./answer/answerer.ts";
import { noteQuestion, requiresApproval } from "./answer/approvals.ts";
import { createCallAnswers, toModelOutput } from "./answer/call-answer.ts";
import type { DeclaredTool, LeftOutTool } from "./declare/declare-tools.ts";
import {
  assertPeer,
  adapterFields,
  assertAdapterOptions,
  type AdapterOptions,
  type ToolSource,
} from "./declare/tool-source.ts";
import { portable } from "./schema/profiles.ts";

export type { CallAnswer } from "./answer/call-answer.ts";

/** How tools are given to Mastra. */
export interface MastraOptions extends AdapterOptions {
  /**
   * Tools of your own. They are declared first, and go before a tool of the source that has the
   * same name. Default none.
   */
  readonly tools?: ToolsInput | undefined;
  /**
   * How the model gets pictures, sounds and files: `"result"` in the result of the call; `"none"`
   * by type and size only, for a model or an API that takes none there. Default `"auto"`: `"none"`
   * where the provider of the model speaks Chat Completions (its id ends in `.chat`), where results
   * are texts alone; needs `prepareStep`.
   */
  readonly files?: "auto" | "result" | "none" | undefined;
}

const fields: Fields<MastraOptions> = { ...adapterFields, tools: true, files: true };

/** A step of a run, as far as it is read. */
interface MastraStep {
  readonly model?: { readonly provider: string } | undefined;
  readonly tools?: Record<string, unknown> | undefined;
}

/** The tools of one conversation for an agent of Mastra. */
export interface MastraTools {
  /**
   * For `tools` of an agent, of `toolsets`, or of what a function for them returns: what the source
   * offers when it is read, and your own. Each time another object.
   */
  readonly tools: ToolsInput;
  /**
   * For `prepareStep` of `generate` and `stream`: declares in each step what the source offers by
   * then, behind the agent's own tools, so that what the model found in one step it can call in the
   * next.
   */
  readonly prepareStep: (step?: MastraStep) => { readonly tools: Record<string, unknown> };
  /**
   * The whole outcome behind what `execute` resolved with, such as `result` of a tool result, in
   * this process. For the host alone: it is not bounded.
   */
  readonly outcomeOf: (answer: unknown) => ToolOutcome | undefined;
  /** Tools that are not declared now, and why. */
  readonly leftOut: () => readonly LeftOutTool[];
}

/**
 * Tools of Mastra from a view, a toolbox or a provider, for one conversation. Whatever goes wrong
 * with a call is its result, which the model gets marked as an error; a call that the run aborts
 * rejects with `aborted`. Throws a `TypeError` that names the option it cannot use.
 *
 * @example
 * const { tools, prepareStep } = createMastraTools(view);
 * const agent = new Agent({ id: "helper", name: "Helper", instructions, model, tools });
 * await agent.generate(question, { prepareStep, maxSteps: 20 });
 */
export function createMastraTools(source: ToolSource, options: MastraOptions = {}): MastraTools {
  assertPeer("createMastraTools()", "@mastra/core@1.71", mastraTools.MASTRA_TOOL_MARKER);
  assertAdapterOptions("createMastraTools()", options, fields);
  const { tools: own = {}, files = "auto", ...shared } = options;
  if (kindOf(own) !== kindOf({})) throw new TypeError(`tools must be an object, not ${kindOf(own)}`);
  if (!["auto", "result", "none"].includes(files)) throw new TypeError('files must be "auto", "result" or "none"');
  const means = { ...shared, source };
  // Mastra keeps both an answer and what the model gets of it, which has the files.
  const answers = createCallAnswers(means, 0);
  const answerer = createAnswerer(source, portable, shared);
  let isChat = false;
  const toTool = (tool: DeclaredTool): Tool =>
    new Tool({
      id: tool.name,
      description: tool.description,
      inputSchema: uncheckedSchema(tool.inputSchema),
      // Else Mastra rewrites the schema for the model's vendor, so that optional members are asked
      // for.
      strict: false,
      // Asked without the id of the call, and again with the same arguments when the run goes on.
      requireApproval: async (args: unknown) => {
        if (!requiresApproval(source, tool)) return false;
        await noteQuestion(tool, { args }, means);
        return true;
      },
      ...(tool.definition.origin !== undefined && { mcpMetadata: { serverName: tool.definition.origin.serverId } }),
      execute: (args, { abortSignal: signal }): Promise<unknown> => answers.answer(tool, { args, signal }),
      toModelOutput: (output: unknown) =>
        toModelOutput(output, (file) => {
          const takesFiles = files === "result" || (files === "auto" && !isChat);
          const data = takesFiles ? answers.dataOf(file) : undefined;
          return data === undefined ? undefined : { type: "media" as const, mediaType: file.mimeType, data };
        }),
    });
  const made = new WeakMap<DeclaredTool, Tool>();
  const given = new Set<string>();
  const ownNames = new Set(Object.keys(own));
  const declare = (): (readonly [name: string, tool: Tool])[] =>
    answerer.declare(ownNames).tools.map((tool) => {
      const one = made.get(tool) ?? toTool(tool);
      made.set(tool, one);
      given.add(tool.name);
      return [tool.name, one] as const;
    });
  declare();
  return {
    get tools() {
      return Object.fromEntries([...Object.entries(own), ...declare()]);
    },
    prepareStep({ model, tools = own } = {}) {
      isChat = model?.provider.endsWith(".chat") === true;
      const ours = declare();
      return { tools: Object.fromEntries([...Object.entries(tools).filter(([name]) => !given.has(name)), ...ours]) };
    },
    outcomeOf: (answer) => answers.outcomeOf(answer),
    leftOut: () => answerer.declare(ownNames).leftOut,
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
