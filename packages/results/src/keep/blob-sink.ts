/** Bytes to keep. */
export interface NewBlob {
  /**
   * A text comes as UTF-8. The sink may hold on to the array itself; whoever gives it changes
   * nothing in it any more.
   */
  readonly data: Uint8Array;
  /** Lower case and without parameters, as the server says: a label, never a part of a path. */
  readonly mimeType: string;
  /** The conversation, in the host's own word; absent where a call names none. */
  readonly conversation?: string | undefined;
}

/**
 * Why nothing was kept: `"full"` there is no room now, `"too-large"` there never is for so much,
 * `"closed"` the sink is.
 */
export type BlobRefusal = "full" | "too-large" | "closed";

/** The result of putting a blob. */
export type PutResult =
  | {
      readonly kept: true;
      /** By which the sink finds it again. For the host alone: a model gets a handle instead. */
      readonly key: string;
      /** The path for other programs of this machine, when it is a file. */
      readonly path?: string | undefined;
    }
  | { readonly kept: false; readonly reason: BlobRefusal };

/**
 * Keeps what is too big for a model. `createMemorySink()` has one in memory, `createFolderSink()`
 * of `@hostside/results/node` one in a folder; a product writes its own over its object store. The
 * code that makes a sink closes it.
 */
export interface BlobSink {
  /**
   * Keeps bytes under a key of its own making, which nothing from a server has part in. Resolves
   * when a reader with the key gets all of it. No room is a result, not an error; rejects for
   * whatever else goes wrong. Gives up when the signal aborts: whatever it did until then, it
   * undoes, or lets grow old.
   */
  put(blob: NewBlob, options?: { readonly signal?: AbortSignal | undefined }): Promise<PutResult>;
  /** The bytes of a blob; `undefined` when it is not there, or no longer. */
  read(key: string): Promise<Uint8Array | undefined>;
  /** Forgets a blob. Not an error when there is none. */
  delete(key: string): Promise<unknown>;
}
