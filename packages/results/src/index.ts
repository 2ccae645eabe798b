// For products: what a model gets of a call.
export { present } from "./present/present.ts";
export { presentError } from "./errors/present-error.ts";
export type { PresentOptions } from "./present/present-options.ts";
export type {
  PresentContext,
  Presented,
  PresentedBlock,
  PresentedError,
  PresentedMedia,
  ResultPresenter,
} from "./presented.ts";
export { createResults, type Results } from "./create-results.ts";
export type { ResultsOptions } from "./create-results.ts";
export type { ReadAnswer } from "./read/results-read-tool.ts";
export type { BlobSink } from "./keep/blob-sink.ts";
export { createMemorySink } from "./keep/create-memory-sink.ts";
export { createStoreSink } from "./keep/create-store-sink.ts";
