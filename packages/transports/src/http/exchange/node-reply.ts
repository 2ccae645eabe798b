import { sliceBytes } from "../../bytes/yielding-reader.ts";
import { headerOf, type SocketConnection, type ReplySink, type ResponseHeaders } from "../sockets/connection.ts";
import type { HttpReply } from "./http-exchange.ts";
import { BodyReader, type BodyContext } from "./node-body.ts";

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
