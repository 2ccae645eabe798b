// For products: search by an embedding model.
export { createAiSdkEmbedder, createEmbeddingRanker, createOpenAiEmbedder } from "@hostside/discovery/embeddings";
export type { Embedder, EmbeddingRankerOptions } from "@hostside/discovery/embeddings";
