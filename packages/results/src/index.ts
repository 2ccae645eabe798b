// For products: what a model gets of a call.
export type {
  Omission,
  Presented,
  PresentedBlock,
  PresentedError,
  PresentedMedia,
  PresentedText,
  TextPart,
} from "./presented.ts";
export type { PresentOccasion, ResultPresenter } from "./result-presenter.ts";
export type { Keeping, KeptPieces, OutcomePiece } from "./keeping.ts";
export type { BlobRefusal, BlobSink, ByteRange, NewBlob, PutResult } from "./keep/blob-sink.ts";
export { createMemorySink, type MemorySink, type MemorySinkOptions } from "./keep/create-memory-sink.ts";
export type { RandomBytes } from "./keep/random-bytes.ts";
