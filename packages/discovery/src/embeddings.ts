export { createEmbeddingRanker, type Embedder } from "./embeddings/create-embedding-ranker.ts";
export { createOpenAiEmbedder, type OpenAiEmbedderOptions } from "./embeddings/open-ai-embedder.ts";
