import type {
  AdmissionServer,
  AskedCall,
  CallContext,
  FrameworkApproval,
  ToolCall,
  ToolDefinition,
} from "@hostside/core";
import { describeCall, isJsonObject } from "@hostside/core/implement";
import type { PolicyParts } from "../policy-parts.ts";
import { toolSubject } from "../rules/tool-subject.ts";
import { callEvent } from "../refuse.ts";
import type { ReadApprovalOptions } from "./approval-options.ts";
import { copyArguments } from "./pending-call.ts";
import type { QuestionOfFramework, Suspension } from "./suspend-call.ts";
import type { AskedTool, WhyAsked } from "./why-asked.ts";

/** Whose calls a framework asks about. */
export interface ApprovalOfFramework {
  /** The context of the conversation. */
  readonly context: CallContext | undefined;
  /** The server of a tool, where it was listed. */
  readonly serverOf: (definition: ToolDefinition) => AdmissionServer | undefined;
}

interface FrameworkApprovalInit extends ApprovalOfFramework {
  readonly settings: ReadApprovalOptions;
  readonly why: (tool: AskedTool) => WhyAsked | undefined;
  readonly suspension: Suspension;
  readonly parts: PolicyParts;
}

/** Makes the approval of the calls of one conversation by a framework. */
export function createFrameworkApproval(init: FrameworkApprovalInit): FrameworkApproval {
  const { context, serverOf, settings, why, suspension, parts } = init;
  const read = ({ id, definition, args = {}, context: own }: AskedCall): QuestionOfFramework | undefined => {
    const copied = isJsonObject(args) ? copyArguments(args) : undefined;
    if (copied === undefined) return undefined;
    const { name, origin = { serverId: "", toolName: name, qualifiedName: `local::${name}` } } = definition;
    const options = { context: { ...context, ...own } };
    const call: ToolCall = { origin, definition, server: serverOf(definition), args: copied.args, options };
    return { callId: id, call, canonical: copied.canonical };
  };
  return {
    requires: (definition) =>
      settings.handler === undefined && why({ definition, server: serverOf(definition) }) !== undefined,
    async note(asked) {
      const question = read(asked);
      if (question === undefined) return [];
      const { call } = question;
      try {
        if (await suspension.note(question)) {
          const { rule, why: reason } = why(call) ?? { rule: "requireApproval", why: "the framework asks" };
          parts.emit({ type: "approval-asked", ...callEvent(call, parts), rule, reason }, call);
        }
      } catch (error) {
        parts.emit({ ...callEvent(call, parts), type: "part-failed", part: "store", error }, call);
      }
      const { definition, server, args } = call;
      const { effect } = toolSubject(definition, server, parts);
      return describeCall({ definition, args, effect, secrets: settings.secrets() });
    },
    answer(asked, decision) {
      const question = read(asked);
      return question && suspension.answer(question, decision);
    },
  };
}
