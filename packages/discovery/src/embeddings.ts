// The entry `@hostside/discovery/embeddings`: a second opinion on searches, by an embedding model.
// Sends what tools say, and what is searched for, to that model.
export {
  createEmbeddingRanker,
  type EmbeddingRankerOptions,
  type EmbeddingRankerStatus,
  type ReadyEmbeddingRanker,
} from "./embeddings/create-embedding-ranker.ts";
export { createOpenAiEmbedder, type OpenAiEmbedderOptions } from "./embeddings/open-ai-embedder.ts";
export { createAiSdkEmbedder, type AiSdkEmbedderOptions, type EmbedMany } from "./embeddings/ai-sdk-embedder.ts";
export type { Embedder, EmbedOptions } from "./embeddings/embedder.ts";
export type { EmbeddingFetch } from "./embeddings/post-json.ts";
export type { EmbeddingRanker, EmbeddingRequest, RankedSource } from "./ranking/embedding-ranker.ts";
