import type { BrotliDecompress, Unzip } from "node:zlib";
import { defaultLimits, type HostsideError } from "@hostside/core";
import { YieldingReader } from "../../bytes/yielding-reader.ts";
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

/** The parts of a {@linkcode BodyReader}. */
export interface BodyInit {
  readonly context: BodyContext;
  /** The source of the bytes. */
  readonly source: { pause(): void; resume(): void; destroy(): void };
  /** Gets the decoded bytes. If it throws, the rest of the body is given up. */
  readonly onChunk: (chunk: Uint8Array) => void;
  /** Called once, with nothing at the proper end, or with what the reading failed with. */
  readonly onSettled: (error?: unknown) => void;
}

/** Decodes a body, and hands it on in turns. */
export class BodyReader {
  readonly #init: BodyInit;
  readonly #turns: YieldingReader<Buffer>;
  readonly #decoder: Decoder | undefined;
  #decodedBytes = 0;
  #isOpen = true;
  #hasEnded = false;

  /** Begins to read one in this `content-encoding`. */
  constructor(encoding: string | undefined, init: BodyInit) {
    const { context, source } = init;
    const name = encoding?.trim().toLowerCase() ?? "";
    const decoder = decoderFor(name);
    this.#init = init;
    this.#decoder = decoder;
    this.#turns = new YieldingReader<Buffer>({
      source: decoder ?? source,
      onBytes: (bytes) => this.#handOn(bytes),
      onCaughtUp: () => this.#finish(),
    });
    if (decoder === undefined) {
      if (name !== "" && name !== "identity") this.stop(unknownEncoding(context.failed, name));
      return;
    }
    context.shared.decoding.add(this.#abandon);
    decoder.on("data", (bytes: Buffer) => this.#turns.take(bytes));
    decoder.on("end", () => this.#end());
    decoder.on("error", (error) => this.#fail(error));
    decoder.on("drain", () => source.resume());
  }

  /** Takes bytes of it, still encoded. */
  take(bytes: Buffer): void {
    if (this.#decoder === undefined) this.#turns.take(bytes);
    else if (!this.#decoder.write(bytes)) this.#init.source.pause();
  }

  /** Nothing more will arrive. */
  end(): void {
    if (this.#decoder === undefined) this.#end();
    else this.#decoder.end();
  }

  /** It broke off. */
  fail(error: unknown): void {
    if (this.#decoder === undefined) this.#fail(error);
    else this.#decoder.destroy(error instanceof Error ? error : undefined);
  }

  /** Gives up the rest: the reader gets `reason`. */
  stop(reason: unknown): void {
    if (!this.#isOpen) return;
    // First of all: to destroy its source fails the reading.
    this.#isOpen = false;
    this.#turns.drop();
    this.#init.source.destroy();
    this.#settle(reason);
  }

  readonly #abandon = (): void => this.stop(this.#init.context.toError(undefined));

  #handOn(bytes: Buffer): void {
    if (!this.#isOpen) return;
    try {
      if (this.#decoder !== undefined) this.#limitGrowth(bytes.length, this.#decoder.bytesWritten);
      this.#init.onChunk(bytes);
    } catch (error) {
      this.stop(error);
    }
  }

  /**
   * Throws once a body is larger than any message may be, and more than a hundred times larger than
   * what arrived of it. The reader of a message stops at its limit. A stream of events has no
   * limit, and a few bytes could keep its reader busy for hours.
   */
  #limitGrowth(bytes: number, arrivedBytes: number): void {
    const { failed, shared } = this.#init.context;
    const most = shared.maxMessageBytes ?? defaultLimits.maxMessageBytes;
    this.#decodedBytes += bytes;
    if (this.#decodedBytes > most && this.#decodedBytes > greatestGrowth * arrivedBytes)
      throw growsTooMuch(failed, greatestGrowth);
  }

  #end(): void {
    this.#hasEnded = true;
    this.#finish();
  }

  #finish(): void {
    if (this.#isOpen && this.#hasEnded && !this.#turns.isBehind) this.#settle();
  }

  #fail(error: unknown): void {
    if (!this.#isOpen) return;
    this.#turns.flush();
    this.stop(this.#init.context.toError(error));
  }

  #settle(error?: unknown): void {
    this.#isOpen = false;
    this.#init.context.shared.decoding.delete(this.#abandon);
    // It needs no connection to go on with what it holds.
    this.#decoder?.destroy();
    this.#init.onSettled(error);
  }
}

type Decoder = BrotliDecompress | Unzip;

function decoderFor(encoding: string): Decoder | undefined {
  switch (encoding) {
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
