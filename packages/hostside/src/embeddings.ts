// For products: search by an embedding model.
export { createEmbeddingRanker, createOpenAiEmbedder } from "@hostside/discovery/embeddings";
export type { Embedder, OpenAiEmbedderOptions } from "@hostside/discovery/embeddings";
