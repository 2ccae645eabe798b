import type { SchemaProfile } from "../schema-profile.ts";

const limits = {
  names: {
    value: { maxLength: 64, characters: "dashes", startsWithLetter: true },
    certainty: "reported",
    source: "wonderwhy-er/DesktopCommanderMCP#79, kaitranntt/ccs#25; `.` and `:` are taken, too",
  },
  maxTools: { value: 512, certainty: "reported", source: "google-gemini/gemini-cli#19083" },
} as const;

const maxDepth = {
  value: 20,
  certainty: "assumed",
  source: "google-gemini/gemini-cli#5923 reports a limit and no number",
} as const;

const propertyNames = {
  value: { maxLength: 64, others: "", startsWithLetter: true, at: "anywhere" },
  certainty: "sdk",
  source: "@google/genai 3.1.0, FunctionDeclaration.parameters",
} as const;

const refused = [
  {
    value: { keywords: ["anyOf"], at: "root" },
    certainty: "reported",
    source: "mastra-ai/mastra#22489, goruck/home-generative-agent#525: of parts that are no objects by themselves",
  },
] as const;

const needsItems = { value: true, certainty: "reported", source: "cline/cline#7339" } as const;

/** Gemini, `parameters`: the older dialect, fields of a message and no more. */
export const geminiParameters: SchemaProfile = {
  id: "gemini-parameters",
  ...limits,
  enforced: false,
  schema: {
    refs: { value: "none", certainty: "reported", source: "nodetool-ai/nodetool#4761" },
    refused,
    keywords: {
      value: [
        "title",
        "description",
        "type",
        "nullable",
        "enum",
        "format",
        "default",
        "example",
        "properties",
        "propertyOrdering",
        "required",
        "minProperties",
        "maxProperties",
        "items",
        "minItems",
        "maxItems",
        "minLength",
        "maxLength",
        "pattern",
        "minimum",
        "maximum",
        "anyOf",
      ],
      certainty: "sdk",
      source:
        "@google/genai 3.1.0, Schema; refusals of others: zendev-sh/zenflow#14, decolua/9router#3018, zed-industries/zed#44875",
    },
    maxDepth,
    propertyNames,
    needsType: { value: true, certainty: "reported", source: "diegosouzapw/OmniRoute#3360, QuantumNous/new-api#5350" },
    needsItems,
    needsDeclared: { value: true, certainty: "reported", source: "NousResearch/hermes-agent, gemini_schema.py" },
    nullable: { value: true, certainty: "reported", source: "zed-industries/zed#44875" },
    loneUnions: { value: true, certainty: "reported", source: "lambda-alpha-labs/Graphenium#37" },
    enums: { value: "texts", certainty: "sdk", source: "@google/genai 3.1.0, Schema.enum" },
    formats: {
      value: ["date-time", "enum", "float", "double", "int32", "int64"],
      certainty: "sdk",
      source: "@google/genai 3.1.0, Schema.format",
    },
  },
};

/** Gemini, `parametersJsonSchema`. */
export const geminiJsonSchema: SchemaProfile = {
  id: "gemini-json-schema",
  ...limits,
  enforced: false,
  schema: {
    refs: { value: "local", certainty: "documented", source: "@google/genai 3.1.0, responseJsonSchema" },
    refused,
    keywords: {
      value: [
        "$ref",
        "$defs",
        "title",
        "description",
        "type",
        "enum",
        "format",
        "properties",
        "propertyOrdering",
        "required",
        "additionalProperties",
        "items",
        "prefixItems",
        "minItems",
        "maxItems",
        "minimum",
        "maximum",
        "anyOf",
      ],
      certainty: "assumed",
      source: "@google/genai 3.1.0 lists them for responseJsonSchema; that oneOf is read as anyOf, too",
    },
    maxDepth,
    propertyNames,
    needsItems,
    enums: { value: "scalars", certainty: "documented", source: "@google/genai 3.1.0, responseJsonSchema" },
  },
};
