import type { ToolsInput } from "@mastra/core/agent";
import * as mastraTools from "@mastra/core/tools";
import type { Tool } from "@mastra/core/tools";
import type { ToolOutcome } from "@hostside/core";
import { createAnswerer } from "../answer/create-answerer.ts";
import { assertPeer } from "../assert-peer.ts";
import type { DeclaredTool, LeftOutTool } from "../declared-tool.ts";
import { mastra } from "../schema/profiles/frameworks.ts";
import type { ToolSource } from "../tool-source.ts";
import { createMastraToolMaker } from "./make-tool.ts";
import { readMastraOptions, type MastraOptions } from "./mastra-options.ts";

/** A step of a run, as far as it is read. */
export interface MastraStep {
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
  /** What is not declared now, and why. */
  readonly leftOut: () => readonly LeftOutTool[];
}

/**
 * Tools of Mastra from a view, a toolbox or a provider, for one conversation. Whatever goes wrong
 * with a call is its result, which the model gets marked as an error; a call that the run aborts
 * rejects with `aborted`. Throws a `TypeError` that names the option it cannot use.
 */
export function createMastraTools(source: ToolSource, options: MastraOptions = {}): MastraTools {
  assertPeer({ where: "createMastraTools()", peer: "@mastra/core@1.71", has: mastraTools.MASTRA_TOOL_MARKER });
  const read = readMastraOptions(options);
  const { tools: own, files, shared } = read;
  let isChat = false;
  const takesFiles = (): boolean => files === "result" || (files === "auto" && !isChat);
  const maker = createMastraToolMaker({ ...read, source, takesFiles });
  const answerer = createAnswerer(source, mastra, shared);
  const made = new WeakMap<DeclaredTool, Tool>();
  const given = new Set<string>();
  const ownNames = new Set(Object.keys(own));

  const declare = (): (readonly [name: string, tool: Tool])[] =>
    answerer.declare(ownNames).tools.map((tool) => {
      const one = made.get(tool) ?? maker.make(tool);
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
    outcomeOf: (answer) => maker.outcomeOf(answer),
    leftOut: () => answerer.declare(ownNames).leftOut,
  };
}
