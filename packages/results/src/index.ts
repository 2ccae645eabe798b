// For products: what a model gets of a call.
export { present, type PresentForm } from "./present/present.ts";
export { presentError, type ErrorEnvelope, type ErrorForm, type PresentErrorOptions } from "./errors/present-error.ts";
export type { MediaOptions, PresentOptions } from "./present/present-options.ts";
export { presentDefaults } from "./present/present-options.ts";
export type { DelimiterOptions } from "./present/delimiters.ts";
export type { ResultEnvelope } from "./present/envelope.ts";
export {
  presentAsEvva,
  presentErrorAsEvva,
  type EvvaBlob,
  type EvvaImage,
  type EvvaOptions,
  type EvvaResult,
} from "./presets/present-as-evva.ts";
export { presentAsNexo, presentErrorAsNexo, type NexoResult } from "./presets/present-as-nexo.ts";
export type {
  Omission,
  OmissionReason,
  Presented,
  PresentedBlock,
  PresentedError,
  PresentedMedia,
  PresentedText,
  TextPart,
} from "./presented.ts";
export type { PresentContext, ResultPresenter } from "./result-presenter.ts";
export { createResults, type Results } from "./create-results.ts";
export type { ResultsOptions } from "./results-options.ts";
export type { ReadAnswer, ReadRequest } from "./read/read-answer.ts";
export type { ReadToolResult, ResultsReadTool } from "./read/results-read-tool.ts";
export type { KeepResult, KeptPiece, KeptPieces, OutcomePiece } from "./keeping.ts";
export type { BlobSink, NewBlob, PutResult } from "./keep/blob-sink.ts";
export { createMemorySink, type MemorySink, type MemorySinkOptions } from "./keep/create-memory-sink.ts";
export { createStoreSink, type StoreSinkOptions } from "./keep/create-store-sink.ts";
export { saveBlobs, type SaveBlob } from "./keep/save-blobs.ts";
