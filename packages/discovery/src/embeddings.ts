export {
  createEmbeddingRanker,
  type Embedder,
  type ReadyEmbeddingRanker,
} from "./embeddings/create-embedding-ranker.ts";
export { createOpenAiEmbedder, type OpenAiEmbedderOptions } from "./embeddings/open-ai-embedder.ts";
export type { EmbeddingRanker, EmbeddingRequest, RankedSource, ScoredName } from "./ranking/rank-tools.ts";
