// For products: what a model gets of a call.
export { present, type PresentForm } from "./present/present.ts";
export { presentError, type ErrorEnvelope, type ErrorForm, type PresentErrorOptions } from "./errors/present-error.ts";
export type { MediaOptions, PresentOptions } from "./present/present-options.ts";
export { presentDefaults } from "./present/present-options.ts";
export type { FenceOptions } from "./present/fence.ts";
export type { ResultEnvelope } from "./present/envelope.ts";
export {
  scaleImages,
  type ImageToScale,
  type ScaledImage,
  type ScaleImage,
  type ScaleLimits,
} from "./media/scale-images.ts";
export {
  presentAsEvva,
  presentErrorAsEvva,
  type EvvaBlob,
  type EvvaImage,
  type EvvaOptions,
  type EvvaResult,
} from "./presets/present-as-evva.ts";
export { presentAsNexo, presentErrorAsNexo, type NexoResult } from "./presets/present-as-nexo.ts";
export { estimateTokens } from "./present/estimate-tokens.ts";
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
export type { PresentOccasion, ResultPresenter } from "./result-presenter.ts";
export type { Keeping, KeptPieces, OutcomePiece } from "./keeping.ts";
export type { BlobRefusal, BlobSink, ByteRange, NewBlob, PutResult } from "./keep/blob-sink.ts";
export { createMemorySink, type MemorySink, type MemorySinkOptions } from "./keep/create-memory-sink.ts";
export type { RandomBytes } from "./keep/random-bytes.ts";
