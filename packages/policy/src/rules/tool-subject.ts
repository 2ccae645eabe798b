import type { AdmissionServer, ToolDefinition, ToolEffect } from "@toolport/core";

/** A tool as decisions see it: its identity, byte for byte, and the host's own words about it. Nothing that a server could bend. */
export interface ToolSubject {
  /** Empty for a tool that is on no server. */
  readonly serverId: string;
  /** The remote name; of a tool that is on no server its only name. */
  readonly toolName: string;
  /** The labels of its server. */
  readonly labels: Readonly<Record<string, string>>;
  readonly effect: ToolEffect;
}

const noLabels: Readonly<Record<string, string>> = Object.freeze({});

/** What decisions go by, for one tool. */
export function toolSubject(definition: ToolDefinition, server: AdmissionServer | undefined): ToolSubject {
  const { origin, name, effect = "external" } = definition;
  return {
    serverId: origin?.serverId ?? "",
    toolName: origin?.toolName ?? name,
    labels: server?.labels ?? noLabels,
    effect,
  };
}
