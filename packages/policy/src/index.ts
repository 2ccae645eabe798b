export type { CallEventBase, CircuitEvent, PinEvent, PolicyEvent, PolicyStage } from "./policy-event.ts";
export type { ToolSelection, ToolSelector } from "./rules/select-tools.ts";
