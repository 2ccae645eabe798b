import type { NameRules, ProfileRule, SchemaProfile, SchemaRules } from "../schema-profile.ts";

const names: ProfileRule<NameRules> = {
  value: { maxLength: 64, characters: "dashes", startsWithLetter: false },
  certainty: "sdk",
  source: "openai 7.57.0, FunctionDefinition.name",
};

const limits = {
  names,
  maxDescriptionLength: { value: 1024, certainty: "reported", source: "probelabs/probe#9" },
  maxTools: { value: 128, certainty: "reported", source: "zed-industries/zed#32946, anomalyco/opencode#4909" },
} as const;

const plainPatterns = {
  value: true,
  certainty: "sdk",
  source: "@ai-sdk/openai 4.0.118, normalizeOpenAIJsonSchema drops what looks around",
} as const;

const guide = 'guide "Structured outputs"';

const strictRules: SchemaRules = {
  refs: { value: "recursive", certainty: "sdk", source: "openai 7.57.0, toStrictJsonSchema" },
  refused: [
    { value: { keywords: ["anyOf"], at: "root" }, certainty: "sdk", source: "openai 7.57.0, toStrictJsonSchema" },
    {
      value: { keywords: ["default"], at: "anywhere" },
      certainty: "assumed",
      source: "nothing can be left out in strict mode, so a default says what is not so",
    },
  ],
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
      "maxItems",
      "minimum",
      "maximum",
      "exclusiveMinimum",
      "exclusiveMaximum",
      "multipleOf",
      "pattern",
      "format",
      "anyOf",
    ],
    certainty: "documented",
    source: guide,
  },
  maxDepth: { value: 10, certainty: "documented", source: guide },
  maxProperties: { value: 5000, certainty: "documented", source: guide },
  maxEnumValues: { value: 1000, certainty: "documented", source: guide },
  maxTextLength: { value: 120_000, certainty: "documented", source: guide },
  needsType: { value: true, certainty: "documented", source: guide },
  needsItems: { value: true, certainty: "reported", source: "digitalocean-labs/mcp-digitalocean#265" },
  needsProperties: { value: true, certainty: "reported", source: "github/github-mcp-server#1548" },
  needsDeclared: { value: true, certainty: "reported", source: "camel-ai/camel#2629" },
  formats: {
    value: ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"],
    certainty: "documented",
    source: `${guide}; uri: dlants/magenta.nvim#111`,
  },
  plainPatterns,
  closed: { value: true, certainty: "documented", source: guide },
  allRequired: { value: true, certainty: "documented", source: guide },
};

/** OpenAI, either API, in strict mode. */
export const openaiStrict: SchemaProfile = { id: "openai-strict", ...limits, schema: strictRules, enforced: true };

/** What both APIs of OpenAI take without strict mode. */
export const openaiRules: SchemaRules = {
  refs: { value: "recursive", certainty: "assumed", source: "local ones are taken, and nobody reports a refusal" },
  refused: [
    {
      value: { keywords: ["anyOf", "oneOf", "allOf", "enum", "not"], at: "root" },
      certainty: "reported",
      source: "anomalyco/opencode#32489, elie222/inbox-zero#2231",
    },
    {
      value: { keywords: ["propertyNames"], at: "anywhere" },
      certainty: "sdk",
      source: "@ai-sdk/openai 4.0.118, normalizeOpenAIJsonSchema drops it",
    },
  ],
  needsItems: { value: true, certainty: "reported", source: "digitalocean-labs/mcp-digitalocean#265" },
  needsProperties: { value: true, certainty: "reported", source: "github/github-mcp-server#1548" },
  plainPatterns,
};

/** OpenAI, Chat Completions. */
export const openaiChat: SchemaProfile = {
  id: "openai-chat",
  ...limits,
  schema: openaiRules,
  enforced: false,
  strict: openaiStrict,
};

/** OpenAI, Responses. */
export const openaiResponses: SchemaProfile = { ...openaiChat, id: "openai-responses" };

/** The OpenAI Agents SDK, which writes `_` for every other character of a name. */
export const openaiAgents: SchemaProfile = {
  ...openaiChat,
  id: "openai-agents",
  names: {
    value: { maxLength: 64, characters: "identifier", startsWithLetter: false },
    certainty: "sdk",
    source: "@openai/agents 0.20.0, toFunctionToolName",
  },
};
