import type { AdmissionServer, ToolDefinition, ToolEffect } from "@hostside/core";

/**
 * A tool as decisions see it: its identity, byte for byte, and the host's own words about it.
 * Nothing that a server could bend.
 */
export interface ToolSubject {
  /** Empty for a tool that is on no server. */
  readonly serverId: string;
  /** The remote name; of a tool that is on no server its only name. */
  readonly toolName: string;
  /** The labels of its server. */
  readonly labels: Readonly<Record<string, string>>;
  readonly effect: ToolEffect;
  /** The host's word of the definition on approval. */
  readonly requireApproval?: boolean | undefined;
  /** Absent: not new, because no selector asks for new tools. */
  readonly isNew?: (() => boolean) | undefined;
}

/**
 * Tells whether a tool came or changed after the first listing of its server, or is not in its
 * lock.
 */
export type IsNew = (definition: ToolDefinition, server: AdmissionServer | undefined) => boolean;

/**
 * The effect of a call, as a policy knows it: by its own configuration first, then by the
 * definition.
 */
export type EffectOf = (definition: ToolDefinition, server: AdmissionServer | undefined) => ToolEffect;

const noLabels: Readonly<Record<string, string>> = Object.freeze({});

/** Makes the subject of decisions on one tool. Without `effectOf`, its definition counts. */
export function toolSubject(
  definition: ToolDefinition,
  server: AdmissionServer | undefined,
  {
    effectOf = effectOfDefinition,
    isNew,
  }: { readonly effectOf?: EffectOf | undefined; readonly isNew?: IsNew | undefined } = {},
): ToolSubject {
  const { origin, name, requireApproval } = definition;
  return {
    serverId: origin?.serverId ?? "",
    toolName: origin?.toolName ?? name,
    labels: server?.labels ?? noLabels,
    effect: effectOf(definition, server),
    requireApproval,
    isNew: isNew && (() => isNew(definition, server)),
  };
}

/** Reads the effect of a definition; without one it is the worst. */
export function effectOfDefinition({ effect = "external" }: ToolDefinition): ToolEffect {
  return effect;
}
