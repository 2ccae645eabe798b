/** The body of an answer that is played. What comes after its end is left alone. */
export interface PlayedBody {
  readonly stream: ReadableStream<Uint8Array>;
  readonly write: (bytes: string | Uint8Array) => void;
  readonly close: () => void;
  /** Breaks off when all that came before was read. */
  readonly cut: (reason: unknown) => void;
  /** Breaks off at once, and what was not read is lost. */
  readonly fail: (reason: unknown) => void;
}

/** Makes a body that is empty yet. */
export function createPlayedBody(): PlayedBody {
  const encoder = new TextEncoder();
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let isOver = false;
  let isAwaited = false;
  let loss: { readonly reason: unknown } | undefined;
  const fail = (reason: unknown): void => {
    if (!isOver) controller?.error(reason);
    isOver = true;
  };
  // An error makes a stream drop what nobody has read: it has to wait for that. With a mark of 0, a
  // stream pulls when a reader waits and has read all.
  const stream = new ReadableStream<Uint8Array>(
    {
      start: (given) => void (controller = given),
      pull() {
        isAwaited = true;
        if (loss !== undefined) fail(loss.reason);
      },
      cancel: () => void (isOver = true),
    },
    { highWaterMark: 0 },
  );
  return {
    stream,
    write(bytes) {
      if (isOver || loss !== undefined) return;
      isAwaited = false;
      controller?.enqueue(typeof bytes === "string" ? encoder.encode(bytes) : bytes);
    },
    close() {
      if (isOver || loss !== undefined) return;
      isOver = true;
      controller?.close();
    },
    cut(reason) {
      loss ??= { reason };
      if (isAwaited) fail(reason);
    },
    fail,
  };
}
