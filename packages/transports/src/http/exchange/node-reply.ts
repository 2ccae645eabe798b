import { sliceBytes, YieldingReader } from "../../bytes/yielding-reader.ts";
import { headerOf, type SocketConnection, type ReplySink, type ResponseHeaders } from "../sockets/connection.ts";
import type { HttpReply } from "./http-exchange.ts";
import type { BrotliDecompress, Unzip } from "node:zlib";
import { defaultLimits, type HostsideError } from "@hostside/core";
import { growsTooMuch, unknownEncoding, type FailedRequest } from "./from-fetch-error.ts";

// More than most bodies have, so that the connection need not be stopped for them.
const mostEarlyBytes = 65_536;

/** A reply, and what its connection and its caller tell it. */
export class NodeReply implements HttpReply, Pick<ReplySink, "onBody" | "onEnd" | "onError"> {
  readonly status: number;
  readonly header: HttpReply["header"];
  readonly #connection: SocketConnection;
  readonly #context: BodyContext;
  /**
   * Bytes that came before somebody read it; mostly one piece, for which a list that grows would be
   * too roomy.
   */
  #early: Buffer[] | undefined;
  #earlyBytes = 0;
  #reading: BodyReader | undefined;
  /** After its end, the connection is somebody else's. */
  #isConnected = true;
  #isPaused = false;
  #broken: { readonly error: unknown } | undefined;
  #stopped: { readonly reason: unknown } | undefined;

  constructor(
    status: number,
    headers: ResponseHeaders,
    way: { readonly connection: SocketConnection; readonly context: BodyContext },
  ) {
    this.status = status;
    this.header = (name) => headerOf(headers, name);
    this.#connection = way.connection;
    this.#context = way.context;
  }

  onBody(bytes: Buffer): void {
    if (this.#reading !== undefined) return this.#reading.take(bytes);
    if (this.#early === undefined) this.#early = [bytes];
    else this.#early.push(bytes);
    this.#earlyBytes += bytes.length;
    if (this.#earlyBytes > mostEarlyBytes) this.pause();
  }

  onEnd(): void {
    this.#isConnected = false;
    this.#reading?.end();
  }

  onError(error: unknown): void {
    this.#isConnected = false;
    this.#broken = { error };
    this.#reading?.fail(error);
  }

  /** Gives it up: a reading rejects with `reason`, also one that has not begun. */
  stop(reason: unknown): void {
    this.#stopped ??= { reason };
    if (this.#reading !== undefined) this.#reading.stop(reason);
    else this.destroy();
  }

  cancel(): void {
    this.stop(this.#context.toError(undefined));
  }

  async read(onChunk: (chunk: Uint8Array) => void): Promise<void> {
    if (this.#stopped !== undefined) throw this.#stopped.reason;
    const encoding = this.header("content-encoding");
    // Nobody has to wait for the rest of it.
    if (encoding === undefined && this.#isWhole()) {
      for (const bytes of this.#early ?? []) onChunk(bytes);
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const onSettled = (error?: unknown): void => (error === undefined ? resolve() : reject(error));
      this.#begin(new BodyReader(encoding, { context: this.#context, source: this, onChunk, onSettled }));
    });
  }

  whole(): Uint8Array | undefined {
    if (!this.#isWhole() || this.#stopped !== undefined || this.#early?.length !== 1) return undefined;
    return this.header("content-encoding") === undefined ? this.#early[0] : undefined;
  }

  pause(): void {
    this.#isPaused = true;
    if (this.#isConnected) this.#connection.pause();
  }

  resume(): void {
    this.#isPaused = false;
    if (this.#isConnected) this.#connection.resume();
  }

  destroy(): void {
    if (this.#isConnected) this.#connection.destroy();
  }

  #isWhole(): boolean {
    return !this.#isConnected && this.#broken === undefined && this.#earlyBytes <= sliceBytes;
  }

  #begin(reading: BodyReader): void {
    this.#reading = reading;
    const arrived = this.#early ?? [];
    this.#early = undefined;
    const wasPaused = this.#isPaused;
    this.#isPaused = false;
    for (const bytes of arrived) reading.take(bytes);
    if (this.#broken !== undefined) reading.fail(this.#broken.error);
    else if (!this.#isConnected) reading.end();
    // Who reads may have had enough already.
    else if (wasPaused && !this.#isPaused) this.resume();
  }
}

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
