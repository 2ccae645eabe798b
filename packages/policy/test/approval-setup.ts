import type { CallHandler, CallOptions, ToolCall, ToolDefinition } from "@hostside/core";
import type { ApprovalAnswer, ApprovalOptions, ApprovalQuestion } from "../src/approval/approval-options.ts";
import { createApproval, type Approval, type AskedByRules } from "../src/approval/approval.ts";
import { decide } from "../src/rules/decide.ts";
import { readRules } from "../src/rules/read-rules.ts";
import type { ApprovalMode } from "../src/rules/rule-options.ts";
import { toolSubject } from "../src/rules/tool-subject.ts";
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
  const approval = createApproval({ handler: asked, ...more }, world.parts, asks ?? asksBy(more.mode));
  const layers = [approval.around((call, next) => next(call))];
  const ran: ToolCall[] = [];
  const run: CallHandler = (call) => {
    ran.push(call);
    return answerOk(call);
  };
  return { world, approval, questions, ran, send: (call) => world.send(call, layers, run) };
}

/** Who has to approve calls by `approval.mode` alone. */
export function asksBy(mode: ApprovalMode = "all"): AskedByRules {
  const layers = readRules({}, mode);
  return ({ definition, server }) => {
    const { decision, rule, why } = decide(layers, toolSubject(definition, server), false);
    return decision === "approval" ? { rule, why } : undefined;
  };
}

/** A call of a tool that may change something. */
export function gated(options: CallOptions = {}, definition: Partial<ToolDefinition> = {}): ToolCall {
  return callOf({ options, definition: { fingerprint, effect: "idempotent-write", ...definition } });
}
