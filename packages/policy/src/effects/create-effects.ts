import type { AdmissionServer, ToolDefinition, ToolEffect } from "@hostside/core";
import { assertKnownOptions, isToolEffect, type Fields } from "@hostside/core/implement";
import { readSelection, type ToolMatcher, type ToolSelection } from "../rules/select-tools.ts";
import { effectOfDefinition, toolSubject, type EffectOf } from "../rules/tool-subject.ts";

/** The effect of calls of some tools, in the host's words. */
export interface EffectRule {
  /** An `effect` in it is the one that the definition has. */
  readonly tools: ToolSelection;
  readonly effect: ToolEffect;
}

/** How it is known what a call does. */
export interface EffectOptions {
  /**
   * Comes before everything else that is known of a tool. If several are for the same tool, the
   * most dangerous one counts: `external`, then `non-idempotent-write`, `idempotent-write`, `pure`.
   * Default none.
   */
  readonly effects?: readonly EffectRule[] | undefined;
}

const ruleFields: Fields<EffectRule> = { tools: true, effect: true };

interface ReadEffectRule extends ToolMatcher {
  readonly place: string;
  readonly effect: ToolEffect;
}

/** The effects of a policy: what a call does, and why that is known. */
export interface Effects {
  readonly effectOf: EffectOf;
  /** In one sentence. */
  readonly describe: (definition: ToolDefinition, server: AdmissionServer | undefined) => string;
}

/**
 * Makes the one place that knows what a call does: by `effects`, else by what the definition says,
 * else it is `external`. Throws a `TypeError` that names rule and field.
 */
export function createEffects({ effects = [] }: EffectOptions): Effects {
  if (!Array.isArray(effects)) throw new TypeError("effects must be a list");
  // The parameter says what they are; `Array.isArray` has forgotten it.
  const rules = (effects as readonly EffectRule[]).map(readRule);
  const find = (definition: ToolDefinition, server: AdmissionServer | undefined): Found => {
    const subject = toolSubject(definition, server);
    const matching = rules.filter((rule) => rule.matches(subject));
    if (matching.length === 0) {
      // What a server's entry says, its hints and the default look the same in an "external".
      const { origin, effect } = definition;
      const isSaid = effect !== undefined && (effect !== "external" || (origin?.serverId ?? "") === "");
      const why = isSaid ? "by its definition" : "because nothing names a milder one";
      return { server, effect: effectOfDefinition(definition), why };
    }
    const effect = matching.map((rule) => rule.effect).reduce(worseEffect);
    const { place, text } = matching.find((rule) => rule.effect === effect) ?? { place: "effects", text: "" };
    return { server, effect, why: `by ${place} (${text.startsWith("{") ? text : JSON.stringify(text)})` };
  };
  // A definition does not change, and what is found for it is wanted by every layer of each call.
  const known = new WeakMap<ToolDefinition, Found>();
  const look = (definition: ToolDefinition, server: AdmissionServer | undefined): Found => {
    const before = known.get(definition);
    if (before !== undefined && before.server === server) return before;
    const found = find(definition, server);
    known.set(definition, found);
    return found;
  };
  return {
    effectOf: rules.length === 0 ? effectOfDefinition : (definition, server) => look(definition, server).effect,
    describe(definition, server) {
      const { effect, why } = look(definition, server);
      return `Its effect is ${effect}, ${why}.`;
    },
  };
}

interface Found {
  readonly server: AdmissionServer | undefined;
  readonly effect: ToolEffect;
  readonly why: string;
}

function readRule(rule: EffectRule, index: number): ReadEffectRule {
  const place = `effects[${index}]`;
  assertKnownOptions(place, rule, ruleFields);
  const { tools, effect } = rule;
  if (!isToolEffect(effect)) throw new TypeError(`${place}.effect: ${JSON.stringify(effect)} is no effect`);
  if (tools === undefined) throw new TypeError(`${place}.tools is missing`);
  return { ...readSelection(tools, `${place}.tools`), place, effect };
}

/** All effects, the least dangerous first. */
export const toolEffects: readonly ToolEffect[] = ["pure", "idempotent-write", "non-idempotent-write", "external"];

/** The more dangerous one of two effects. */
export function worseEffect(a: ToolEffect, b: ToolEffect): ToolEffect {
  return toolEffects.indexOf(a) >= toolEffects.indexOf(b) ? a : b;
}

/** Tells whether an effect does more harm than another one. */
export function isWorseEffect(effect: ToolEffect, than: ToolEffect): boolean {
  return worseEffect(effect, than) !== than;
}
