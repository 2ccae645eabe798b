// For products on Node: where results are kept, and other forms for them.
export { createMemorySink, createStoreSink, presentAsEvva, presentAsNexo, saveBlobs } from "@hostside/results";
export type { BlobSink, PresentOptions } from "@hostside/results";
export { createFolderSink } from "@hostside/results/node";
