import type { NameRules, ProfileRule, SchemaProfile, SchemaRules } from "../schema-profile.ts";
import { anthropic } from "./anthropic.ts";
import { geminiJsonSchema, geminiParameters } from "./gemini.ts";
import { openaiChat } from "./openai.ts";

const everywhere = "what is taken by each of the APIs here";

const names: ProfileRule<NameRules> = {
  value: { maxLength: 64, characters: "dashes", startsWithLetter: true },
  certainty: "assumed",
  source: everywhere,
};

const common = {
  refs: geminiParameters.schema.refs,
  refused: [...openaiChat.schema.refused, ...anthropic.schema.refused],
  maxDepth: geminiJsonSchema.schema.maxDepth,
  propertyNames: geminiJsonSchema.schema.propertyNames,
  needsItems: openaiChat.schema.needsItems,
  needsProperties: openaiChat.schema.needsProperties,
  plainPatterns: openaiChat.schema.plainPatterns,
} satisfies SchemaRules;

/**
 * What every API here takes; for where it is not known which one it will be. Gemini's older dialect
 * is among them where the vendor's own package, or a framework, puts it into its form.
 */
export const portable: SchemaProfile = {
  id: "portable",
  names,
  maxDescriptionLength: openaiChat.maxDescriptionLength,
  maxTools: openaiChat.maxTools,
  enforced: false,
  schema: {
    ...common,
    keywords: {
      value: [
        "title",
        "description",
        "type",
        "enum",
        "format",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "minItems",
        "maxItems",
        "minimum",
        "maximum",
        "anyOf",
      ],
      certainty: "assumed",
      source: everywhere,
    },
    needsType: geminiParameters.schema.needsType,
    needsDeclared: geminiParameters.schema.needsDeclared,
    loneUnions: geminiParameters.schema.loneUnions,
    enums: geminiParameters.schema.enums,
    formats: { value: ["date-time"], certainty: "assumed", source: everywhere },
  },
};

/**
 * LangChain, in front of any model API: its package for Google hands on the keywords that it does
 * not know (pizza-bot-app/pizza-bot#62).
 */
export const langchain: SchemaProfile = { ...portable, id: "langchain" };

/** Mastra, in front of any model API. */
export const mastra: SchemaProfile = { ...portable, id: "mastra" };

/**
 * The AI SDK, in front of any model API: its packages for OpenAI and Google leave out what those do
 * not take of what is not listed here.
 */
export const aiSdk: SchemaProfile = {
  ...portable,
  id: "ai-sdk",
  schema: {
    ...common,
    refused: [
      ...common.refused,
      {
        value: { keywords: ["oneOf", "allOf"], at: "anywhere" },
        certainty: "reported",
        source: "@ai-sdk/google 4.0.121 hands them on, and they are refused: zendev-sh/zenflow#14",
      },
    ],
  },
};
