import type { ErrorKind, JsonValue, ToolOrigin, HostsideErrorCode } from "@hostside/core";
import type { OutcomePiece } from "./keeping.ts";

/**
 * What a text of a presentation is made of: `"content"` what the tool wrote, `"structured"` its
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
  /** What the server calls it: untrusted, bounded. */
  readonly name?: string | undefined;
}

/** One piece of what a model gets. */
export type PresentedBlock = PresentedText | PresentedMedia;

/**
 * Why something is not shown, or not whole. `"wrong-type"`: a picture that does not begin as one of
 * its type does; `"for-users"`: its server means it for users alone, and the product wants that to
 * count.
 */
export type OmissionReason =
  | "too-large"
  | "too-many"
  | "type-not-allowed"
  | "wrong-type"
  | "bad-base64"
  | "unknown-kind"
  | "not-json"
  | "for-users";

/** What a presentation does not show, or not whole. Each has a notice among the blocks, too. */
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
  /** What of the outcome it is about. */
  readonly piece?: OutcomePiece | undefined;
  /** By which it can be read, where it was kept. */
  readonly handle?: string | undefined;
}

/** What a model gets of one call, bounded, for whatever shape a model API wants. */
export interface Presented {
  /** In the order of the result; at least one. */
  readonly blocks: readonly PresentedBlock[];
  /** Whether the tool said that it failed, or there is no result at all. */
  readonly isError: boolean;
  /**
   * The structured content, when it is shown whole. It is among the blocks as well, as a text: of
   * the part `"structured"`, or as the text of the tool that says the same.
   */
  readonly structured?: JsonValue | undefined;
  /** What went wrong, when there is no result. */
  readonly error?: PresentedError | undefined;
  readonly omitted: readonly Omission[];
  readonly origin?: ToolOrigin | undefined;
}

/**
 * An error as a model may read it: no stack, no secret, no text of a server's that was not bounded.
 */
export interface PresentedError {
  readonly code: HostsideErrorCode;
  /** Whose move it is: `contract` the caller's, `auth` the user's, and so on. */
  readonly kind: ErrorKind;
  readonly message: string;
  readonly retryable: boolean;
  /** What is known of the call's effect. */
  readonly outcome: "not-sent" | "unknown" | "failed";
  /** Where the arguments were wrong: JSON pointers into them. */
  readonly violations?: readonly { readonly pointer: string; readonly message: string }[] | undefined;
}
