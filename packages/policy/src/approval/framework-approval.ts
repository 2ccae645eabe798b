import type {
  AdmissionServer,
  AskedCall,
  CallContext,
  FrameworkApproval,
  ToolCall,
  ToolDefinition,
} from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import { callEvent, tellFailed } from "../refuse.ts";
import { toolSubject } from "../rules/tool-subject.ts";
import type { ApprovalParts } from "./approval-parts.ts";
import { copyArguments, showCall } from "./pending-call.ts";
import type { QuestionOfFramework } from "./suspend-call.ts";

/** The calls that a framework asks about. */
export interface ApprovalOfFramework {
  /** The context of the conversation. */
  readonly context: CallContext | undefined;
  /** Looks up the server of a tool, where it was listed. */
  readonly serverOf: (definition: ToolDefinition) => AdmissionServer | undefined;
}

/** Makes the approval of the calls of one conversation by a framework. */
export function createFrameworkApproval(
  { context, serverOf }: ApprovalOfFramework,
  { settings, why, suspension, parts }: ApprovalParts,
): FrameworkApproval {
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
      const { effect } = toolSubject(asked.definition, serverOf(asked.definition), parts);
      if (question === undefined) return { shown: [], effect };
      const { call } = question;
      try {
        if (await suspension.note(question)) {
          const { rule, why: reason } = why(call) ?? { rule: "requireApproval", why: "the framework asks" };
          parts.emit({ type: "approval-asked", ...callEvent(call, parts), rule, reason }, call);
        }
      } catch (error) {
        tellFailed(call, { part: "store", error }, parts);
      }
      return { shown: showCall({ call, args: call.args, effect }, settings), effect };
    },
    answer(asked, decision) {
      const question = read(asked);
      return question && suspension.answer(question, decision);
    },
  };
}
