// The entry `@hostside/discovery/embeddings`: a second opinion on searches, by an embedding model.
// Sends what tools say, and what is searched for, to that model.
export {
  createEmbeddingRanker,
  type EmbeddingRankerOptions,
  type ReadyEmbeddingRanker,
} from "./embeddings/create-embedding-ranker.ts";
export type { Embedder } from "./embeddings/embedding-endpoint.ts";
export { createOpenAiEmbedder, type OpenAiEmbedderOptions } from "./embeddings/open-ai-embedder.ts";
export type { IndexProgress } from "./embeddings/vector-index.ts";
export type { EmbeddingRanker, EmbeddingRequest, RankedSource, ScoredName } from "./ranking/embedding-ranker.ts";
