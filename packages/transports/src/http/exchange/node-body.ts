import type { BrotliDecompress, Unzip } from "node:zlib";
import { defaultLimits, type HostsideError } from "@hostside/core";
import { YieldingReader, type YieldingReaderInit } from "../../bytes/yielding-reader.ts";
import { growsTooMuch, unknownEncoding, type FailedRequest } from "./from-fetch-error.ts";

// What honest streams do not come near, and a body that was made to keep a host busy exceeds a
// thousandfold.
const greatestGrowth = 100;
/** The state that the bodies of an exchange share. */
export interface BodiesContext {
  /** Stops each body that is being decoded. */
  readonly decoding: Set<() => void>;
  readonly maxMessageBytes?: number | undefined;
}

/** The request of a body. */
export interface BodyContext {
  /** Names the request in errors. */
  readonly failed: Omit<FailedRequest, "sent">;
  readonly shared: BodiesContext;
  toError(error: unknown): HostsideError;
}

/** A body that is being read. */
export interface BodyReading {
  /** Takes bytes of it, still encoded. */
  take(bytes: Buffer): void;
  /** Nothing more will arrive. */
  end(): void;
  /** It broke off. */
  fail(error: unknown): void;
  /** Gives up the rest: the reader gets `reason`. */
  stop(reason: unknown): void;
}

/** The input of {@linkcode readNodeBody}. */
export interface BodyInit {
  readonly context: BodyContext;
  /** The source of the bytes. */
  readonly source: { pause(): void; resume(): void; destroy(): void };
  /** Gets the decoded bytes. What it throws gives up the rest. */
  readonly onChunk: (chunk: Uint8Array) => void;
  /** Called once, with nothing at the proper end, or with what the reading failed with. */
  readonly onSettled: (error?: unknown) => void;
}

/** Decodes a body in this `content-encoding`, and hands it on in turns. */
export function readNodeBody(encoding: string | undefined, init: BodyInit): BodyReading {
  const { context } = init;
  const { failed } = context;
  const { decoding } = context.shared;
  const name = encoding?.trim().toLowerCase() ?? "";
  const decoder = decoderFor(name);
  if (decoder === "none") {
    const { turns, ...reading } = openReading(init, init.source, undefined);
    return { ...reading, take: (bytes) => turns.take(bytes) };
  }
  if (decoder === undefined) {
    const { stop } = openReading(init, init.source, undefined);
    stop(unknownEncoding(failed, name));
    return { take: ignore, end: ignore, fail: ignore, stop };
  }
  const { source, onSettled } = init;
  const abandon = (): void => stop(context.toError(undefined));
  const settled = (error?: unknown): void => {
    decoding.delete(abandon);
    // It needs no connection to go on with what it holds.
    decoder.destroy();
    onSettled(error);
  };
  const { turns, end, fail, stop } = openReading(
    { ...init, onSettled: settled },
    decoder,
    limitGrowth(decoder, context),
  );
  decoding.add(abandon);
  decoder.on("data", (bytes: Buffer) => turns.take(bytes));
  decoder.on("end", end);
  decoder.on("error", fail);
  decoder.on("drain", () => source.resume());
  return {
    take(bytes) {
      if (!decoder.write(bytes)) source.pause();
    },
    end: () => void decoder.end(),
    fail: (error) => void decoder.destroy(error instanceof Error ? error : undefined),
    stop,
  };
}

interface Reading {
  readonly turns: YieldingReader<Buffer>;
  readonly end: () => void;
  readonly fail: (error: unknown) => void;
  readonly stop: (reason: unknown) => void;
}

/** The part that is common to all encodings: `source` is paused while others have their turn. */
function openReading(
  { context, source, onChunk, onSettled }: BodyInit,
  paused: YieldingReaderInit<Buffer>["source"],
  count: ((chunk: Uint8Array) => void) | undefined,
): Reading {
  let isOpen = true;
  let hasEnded = false;
  const stop = (reason: unknown): void => {
    if (!isOpen) return;
    isOpen = false;
    turns.drop();
    source.destroy();
    onSettled(reason);
  };
  const finish = (): void => {
    if (!isOpen || !hasEnded || turns.isBehind) return;
    isOpen = false;
    onSettled();
  };
  const turns = new YieldingReader<Buffer>({
    source: paused,
    onBytes(bytes) {
      if (!isOpen) return;
      try {
        count?.(bytes);
        onChunk(bytes);
      } catch (error) {
        stop(error);
      }
    },
    onCaughtUp: finish,
  });
  return {
    turns,
    stop,
    end(): void {
      hasEnded = true;
      finish();
    },
    fail(error: unknown): void {
      if (!isOpen) return;
      turns.flush();
      stop(context.toError(error));
    },
  };
}

type Decoder = BrotliDecompress | Unzip;

/**
 * Makes the decoder of a body; `undefined` for an encoding that was not offered.
 */
function decoderFor(encoding: string): Decoder | "none" | undefined {
  switch (encoding) {
    case "":
    case "identity":
      return "none";
    case "gzip":
    case "x-gzip":
    case "deflate":
      return process.getBuiltinModule("node:zlib").createUnzip();
    case "br":
      return process.getBuiltinModule("node:zlib").createBrotliDecompress();
    default:
      return undefined;
  }
}

/**
 * Counts decoded bytes. Throws once a body is larger than any message may be, and more than a
 * hundred times larger than what arrived of it. Whoever reads a message stops at its limit; but a
 * stream of events has none, and a few bytes could keep its reader busy for hours.
 */
function limitGrowth(decoder: Decoder, { failed, shared }: BodyContext): (chunk: Uint8Array) => void {
  const most = shared.maxMessageBytes ?? defaultLimits.maxMessageBytes;
  let decodedBytes = 0;
  return ({ length }) => {
    decodedBytes += length;
    if (decodedBytes > most && decodedBytes > greatestGrowth * decoder.bytesWritten)
      throw growsTooMuch(failed, greatestGrowth);
  };
}

function ignore(): void {}
