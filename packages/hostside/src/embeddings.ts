// For products: search by an embedding model.
export { createEmbeddingRanker, createOpenAiEmbedder } from "@hostside/discovery";
export type { Embedder } from "@hostside/discovery";
