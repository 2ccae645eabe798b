import type { CallContext, ErrorKind, JsonValue, ToolOrigin, HostsideErrorCode, ToolOutcome } from "@hostside/core";

/**
 * The origin of a text of a presentation: `"content"` what the tool wrote, `"structured"` its
 * structured content as JSON, `"resource"` a text that was sent along, `"link"` a resource that is
 * named, `"notice"` words of the host on what is not shown, `"error"` words of the host on why
 * there is no result.
 */
export type TextPart = "content" | "structured" | "resource" | "link" | "notice" | "error";

/** A text that a model reads. Never empty, and without lone surrogates. */
export interface PresentedText {
  readonly type: "text";
  readonly text: string;
  readonly part: TextPart;
}

/**
 * A picture, a sound or a file that a model gets. Its type is one of those that were allowed, its
 * size within the bounds.
 */
export interface PresentedMedia {
  readonly type: "image" | "audio" | "file";
  /** Lower case, without parameters. */
  readonly mimeType: string;
  /** Base64 that was checked: standard alphabet, padded, no blanks. */
  readonly data: string;
  /** Decoded. */
  readonly bytes: number;
  /** Its name by the server: untrusted, bounded. */
  readonly name?: string | undefined;
}

/** One piece of what a model gets. */
export type PresentedBlock = PresentedText | PresentedMedia;

/**
 * Why something is not shown, or not whole. `"wrong-type"`: a picture that does not begin as one of
 * its type does.
 */
export type OmissionReason =
  | "too-large"
  | "too-many"
  | "type-not-allowed"
  | "wrong-type"
  | "bad-base64"
  | "unknown-kind"
  | "not-json";

/**
 * A piece that a presentation does not show, or not whole. Each has a notice among the blocks, too.
 */
export interface Omission {
  /**
   * The type of the block, such as `image`; `structured` for structured content; `result` for all
   * that there was no more room for.
   */
  readonly kind: string;
  readonly reason: OmissionReason;
  readonly mimeType?: string | undefined;
  /** Decoded, where that is known. */
  readonly bytes?: number | undefined;
  /** The piece of the outcome. */
  readonly piece?: OutcomePiece | undefined;
  /** By which it can be read, where it was kept. */
  readonly handle?: string | undefined;
}

/** The presentation of one call, bounded, for whatever shape a model API wants. */
export interface Presented {
  /** In the order of the result; at least one. */
  readonly blocks: readonly PresentedBlock[];
  /** True if the tool said that it failed, or there is no result at all. */
  readonly isError: boolean;
  /**
   * The structured content, when it is shown whole. It is among the blocks as well, as a text: of
   * the part `"structured"`, or as the text of the tool that says the same.
   */
  readonly structured?: JsonValue | undefined;
  /** The error, when there is no result. */
  readonly error?: PresentedError | undefined;
  readonly omitted: readonly Omission[];
  readonly origin?: ToolOrigin | undefined;
}

/**
 * An error as a model may read it: no stack, no secret, no text of a server's that was not bounded.
 */
export interface PresentedError {
  readonly code: HostsideErrorCode;
  /** The party that has to act: `contract` the caller, `auth` the user, and so on. */
  readonly kind: ErrorKind;
  readonly message: string;
  readonly retryable: boolean;
  /** The known effect of the call. */
  readonly outcome: "not-sent" | "unknown" | "failed";
  /** The places of wrong arguments: JSON pointers into them. */
  readonly violations?: readonly { readonly pointer: string; readonly message: string }[] | undefined;
}

/**
 * Which piece of an outcome: a block of its content by its index, its structured content, or all
 * blocks from an index on.
 */
export type OutcomePiece =
  | { readonly part: "block"; readonly index: number }
  | { readonly part: "structured" }
  | { readonly part: "rest"; readonly from: number };

/** The fate of a piece that is not shown whole: it has a handle, or was not kept. */
export interface KeepResult {
  /** By which a model can read it. */
  readonly handle?: string;
  /** How many characters a text has, in code points; `undefined` for what is no text. */
  readonly characters?: number | undefined;
  /** The file that has it, for a model that reads files. */
  readonly path?: string | undefined;
  /** Why it was not kept, in words for a model. */
  readonly notKept?: string;
}

/** The kept pieces of one outcome, for the notices on what is not shown. */
export interface KeptPieces {
  /**
   * The name of the tool that reads what was kept: `results_read`, unless the product has another
   * one.
   */
  readonly tool: string;
  /** `undefined` for a piece that nobody tried to keep. */
  of(piece: OutcomePiece): KeepResult | undefined;
}

/** For which call something is presented. */
export interface PresentContext {
  /** The context of the call: what is kept can be read in the same conversation alone. */
  readonly context?: CallContext | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Turns what calls bring into what a model gets. The adapters take one; `createResults()` makes one
 * that keeps what is too big.
 */
export interface ResultPresenter {
  present(outcome: ToolOutcome, presentContext?: PresentContext): Presented | Promise<Presented>;
  presentError(error: unknown, presentContext?: PresentContext): Presented;
}
