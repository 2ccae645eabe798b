import type { NameRules, SchemaProfile } from "./schema-profile.ts";

const names: NameRules = { maxLength: 64, characters: "dashes", startsWithLetter: false };

/** OpenAI, Chat Completions and Responses, without strict mode. */
export const openai: SchemaProfile = {
  id: "openai",
  // openai 7.57.0, FunctionDefinition.name
  names,
  // probelabs/probe#9
  maxDescriptionLength: 1024,
  // zed-industries/zed#32946, anomalyco/opencode#4909
  maxTools: 128,
  takesRefs: true,
  // anomalyco/opencode#32489, elie222/inbox-zero#2231
  refusedAtRoot: ["anyOf", "oneOf", "allOf", "enum", "not"],
  // @ai-sdk/openai 4.0.118, normalizeOpenAIJsonSchema drops it
  refused: ["propertyNames"],
  // digitalocean-labs/mcp-digitalocean#265
  needsItems: true,
  // github/github-mcp-server#1548
  needsProperties: true,
  // @ai-sdk/openai 4.0.118, normalizeOpenAIJsonSchema drops what looks around
  plainPatterns: true,
};

/** The OpenAI Agents SDK, which writes `_` for every other character of a name. */
export const openaiAgents: SchemaProfile = {
  ...openai,
  id: "openai-agents",
  // @openai/agents 0.20.0, toFunctionToolName
  names: { ...names, characters: "identifier" },
};

/** Anthropic, Messages. */
export const anthropic: SchemaProfile = {
  id: "anthropic",
  // open-multi-agent/open-multi-agent#89
  names: { ...names, maxLength: 128 },
  takesRefs: true,
  // anomalyco/opencode#46628, langchain-ai/langchain#39271
  refusedAtRoot: ["anyOf", "oneOf", "allOf"],
  // ComposioHQ/composio#2330
  propertyNames: /^[A-Za-z0-9_.-]{1,64}$/,
  onlyRootNames: true,
};

// What every API knows that knows a part of JSON Schema alone.
const portableKeywords: readonly string[] = [
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
];

/** Gemini, `parametersJsonSchema`. */
export const gemini: SchemaProfile = {
  id: "gemini",
  // wonderwhy-er/DesktopCommanderMCP#79, kaitranntt/ccs#25; `.` and `:` are taken, too
  names: { ...names, startsWithLetter: true },
  // google-gemini/gemini-cli#19083
  maxTools: 512,
  takesRefs: false,
  // mastra-ai/mastra#22489, goruck/home-generative-agent#525
  refusedAtRoot: ["anyOf"],
  // @google/genai 3.1.0 lists them for responseJsonSchema; nothing is said about functions.
  keywords: [...portableKeywords, "propertyOrdering", "prefixItems"],
  // google-gemini/gemini-cli#5923 reports a limit and no number.
  maxDepth: 20,
  // @google/genai 3.1.0, FunctionDeclaration.parameters
  propertyNames: /^[A-Za-z_][A-Za-z0-9_]{0,63}$/,
  // cline/cline#7339
  needsItems: true,
  enums: "scalars",
};

/**
 * The AI SDK, in front of any model API: its packages for OpenAI and Google leave out what those do
 * not take of what is not listed here.
 */
export const aiSdk: SchemaProfile = {
  ...openai,
  id: "ai-sdk",
  names: gemini.names,
  takesRefs: false,
  // @ai-sdk/google 4.0.121 hands on oneOf and allOf, and they are refused: zendev-sh/zenflow#14
  refused: ["propertyNames", "oneOf", "allOf"],
  maxDepth: 20,
  propertyNames: /^[A-Za-z_][A-Za-z0-9_]{0,63}$/,
};

/**
 * The rules that every API here takes, Gemini's older dialect (`parameters`) included, for
 * frameworks that stand in front of any model: LangChain's package for Google hands on the keywords
 * that it does not know (pizza-bot-app/pizza-bot#62).
 */
export const portable: SchemaProfile = {
  ...aiSdk,
  id: "portable",
  keywords: portableKeywords,
  // diegosouzapw/OmniRoute#3360, QuantumNous/new-api#5350, lambda-alpha-labs/Graphenium#37
  isTyped: true,
  // @google/genai 3.1.0, Schema.enum and Schema.format
  enums: "texts",
  formats: ["date-time"],
};
