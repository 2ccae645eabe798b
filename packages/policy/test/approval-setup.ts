import type { CallHandler, CallOptions, ToolCall, ToolDefinition } from "@hostside/core";
import type { ApprovalAnswer, ApprovalOptions, ApprovalQuestion } from "../src/approval/approval-options.ts";
import { createApproval, type Approval, type AskedByRules } from "../src/approval/approval.ts";
import { answerOk, callOf, createStageWorld, type StageWorld } from "./stage-world.ts";

export const fingerprint = "sha256-01";

/** A stage of approvals, and what came of it. */
export interface ApprovalSetup {
  readonly world: StageWorld;
  readonly approval: Approval;
  readonly questions: ApprovalQuestion[];
  /** Calls that ran. */
  readonly ran: ToolCall[];
  readonly send: (call: ToolCall) => Promise<unknown>;
}

/** A handler of a program that has no types, which need not wait for anything. */
export type Handler = (question: ApprovalQuestion) => ApprovalAnswer | Promise<ApprovalAnswer>;

/** A stage that asks about everything, unless told otherwise. */
export function setUp(
  handler: Handler | undefined,
  more: Partial<ApprovalOptions> = {},
  { asks, world = createStageWorld() }: { readonly asks?: AskedByRules; readonly world?: StageWorld } = {},
): ApprovalSetup {
  const questions: ApprovalQuestion[] = [];
  const asked =
    handler &&
    ((question: ApprovalQuestion) => {
      questions.push(question);
      return handler(question) as Promise<ApprovalAnswer>;
    });
  const approval = createApproval({ mode: "all", handler: asked, ...more }, world.parts, asks);
  const layers = [approval.around((call, next) => next(call))];
  const ran: ToolCall[] = [];
  const run: CallHandler = (call) => {
    ran.push(call);
    return answerOk(call);
  };
  return { world, approval, questions, ran, send: (call) => world.send(call, layers, run) };
}

/** A call of a tool that may change something. */
export function gated(options: CallOptions = {}, definition: Partial<ToolDefinition> = {}): ToolCall {
  return callOf({ options, definition: { fingerprint, effect: "idempotent-write", ...definition } });
}
