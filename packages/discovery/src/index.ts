// For products: the toolbox, its views, and what they are made from.
export { createToolbox, reservedNames, type Toolbox } from "./toolbox.ts";
export type { ToolboxOptions } from "./toolbox-options.ts";
export { viewOptionFields, type ToolboxView, type ViewOptions } from "./view/view.ts";
export type { StaticTool } from "./catalog/static-tool.ts";
export type { ToolsAnswer } from "./discovery-tools/answers.ts";
export type { EmbeddingRanker, ModelToolSelector } from "./ranking/rank-tools.ts";
export { estimateDefinitionTokens, estimateTokens } from "./tokens/token-counter.ts";

// Tools by which a model lists and reads resources.
export { createResourceTools, type ResourceToolsOptions } from "./resource-tools/create-resource-tools.ts";
export type { ResourceSource } from "./resource-tools/resource-source.ts";

// Search by meaning.
export { createEmbeddingRanker, type Embedder } from "./embeddings/create-embedding-ranker.ts";
export { createOpenAiEmbedder, type OpenAiEmbedderOptions } from "./embeddings/open-ai-embedder.ts";

// For products that find tools in another way, or measure this one.
export { relatedTerms, searchTerms } from "./search/look-up-synonyms.ts";
export { createSearchIndex, type SearchHit } from "./search/search-index.ts";
export { aboutGroup, toSearchDocument } from "./catalog/catalog-search.ts";
