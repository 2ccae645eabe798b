// For products on Node: where results are kept.
export { createMemorySink, createStoreSink } from "@hostside/results";
export type { BlobSink, PresentOptions } from "@hostside/results";
export { createFolderSink } from "@hostside/results/node";
