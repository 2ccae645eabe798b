import type { ProfileRule, RefusedKeywords, SchemaProfile } from "../schema-profile.ts";

const rootCombinators: ProfileRule<RefusedKeywords> = {
  value: { keywords: ["anyOf", "oneOf", "allOf"], at: "root" },
  certainty: "reported",
  source: "anomalyco/opencode#46628, langchain-ai/langchain#39271",
};

const common = {
  names: {
    value: { maxLength: 128, characters: "dashes", startsWithLetter: false },
    certainty: "reported",
    source: "open-multi-agent/open-multi-agent#89",
  },
} as const;

const propertyNames = {
  value: { maxLength: 64, others: ".-", startsWithLetter: false, at: "root" },
  certainty: "reported",
  source: "ComposioHQ/composio#2330",
} as const;

const page = 'page "Structured outputs"';
const helper = "@anthropic-ai/sdk 1.12.0, transformJSONSchema";

/** Anthropic, Messages, in strict mode. */
export const anthropicStrict: SchemaProfile = {
  id: "anthropic-strict",
  ...common,
  enforced: true,
  strictTotals: { value: { tools: 20, optional: 24, unions: 16 }, certainty: "documented", source: page },
  schema: {
    refs: { value: "local", certainty: "documented", source: page },
    refused: [rootCombinators],
    keywords: {
      value: [
        "$ref",
        "$defs",
        "title",
        "description",
        "type",
        "enum",
        "const",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "minItems",
        "format",
        "anyOf",
        "allOf",
      ],
      certainty: "sdk",
      source: helper,
    },
    propertyNames,
    needsType: { value: true, certainty: "sdk", source: helper },
    needsDeclared: { value: true, certainty: "assumed", source: "what is closed takes nothing else" },
    enums: { value: "scalars", certainty: "sdk", source: helper },
    formats: {
      value: ["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"],
      certainty: "sdk",
      source: helper,
    },
    maxMinItems: { value: 1, certainty: "sdk", source: helper },
    closed: { value: true, certainty: "documented", source: page },
  },
};

/** Anthropic, Messages. */
export const anthropic: SchemaProfile = {
  id: "anthropic",
  ...common,
  enforced: false,
  strict: anthropicStrict,
  schema: {
    refs: { value: "recursive", certainty: "assumed", source: "local ones are taken, and nobody reports a refusal" },
    refused: [rootCombinators],
    propertyNames,
  },
};
