import { clock } from "@hostside/core/implement";

/** The number of bytes that are handed on at once, whatever else waits. */
export const sliceBytes: number = 4 * 1024;
// Of one turn of the event loop, for one source: as long as it may take, and as much as it may be
// before the source has to wait. A call passes two turns or three, so that it may take some tenths
// of a millisecond longer beside a flood.
const budgetMs = 0.1;
const mostBytes = 32 * 1024;
// In between, the time is looked at. Lines of a few bytes take a hundred nanoseconds each.
const cutBytes = 1024;
// What is only kept until more of it comes takes a small part of the time.
const keptFactor = 1 / 8;
/** As much of a `Uint8Array`, or a `Buffer`, as matters here. */
interface Sliceable<Bytes> {
  readonly length: number;
  subarray(start: number, end?: number): Bytes;
}

/** The input of {@linkcode YieldingReader}. */
export interface YieldingReaderInit<Bytes> {
  /** The source of the bytes. It is paused while some of them wait. */
  readonly source: { pause(): unknown; resume(): unknown };
  /**
   * How many of the first bytes are only copied by whoever gets them, as those of a line before its
   * end are. They go in one piece and count an eighth of others. Default: none.
   */
  readonly countKept?: ((bytes: Bytes) => number) | undefined;
  /** Must not throw. */
  readonly onBytes: (bytes: Bytes) => void;
  /** Called when nothing waits any more. */
  readonly onCaughtUp?: () => void;
}

/**
 * Hands bytes on as they come, but a flood of them in turns of the event loop, in order, so that it
 * holds up nobody else. In each turn it works for about a tenth of a millisecond, and takes 32 KiB
 * or one read of the source, whichever is more; the rest waits.
 */
export class YieldingReader<Bytes extends Sliceable<Bytes>> {
  readonly #init: YieldingReaderInit<Bytes>;
  #waiting: Bytes[] | undefined;
  /** Bytes handed on so far. */
  handedOn = 0;
  #inThisTurn = 0;
  /** True if the source is paused. */
  isPaused = false;
  #isDropped = false;

  constructor(init: YieldingReaderInit<Bytes>) {
    this.#init = init;
  }

  /**
   * Takes what arrived. Hands it on at once, unless others have waited long enough for their turn.
   */
  take(bytes: Bytes): void {
    if (this.#isDropped) return;
    if (!this.isPaused && bytes.length <= sliceBytes) {
      this.#handOn(bytes, bytes.length);
    } else {
      (this.#waiting ??= []).push(bytes);
      if (!this.isPaused) this.#takeTurn();
    }
    if (this.isPaused || (!this.isBehind && this.#inThisTurn < mostBytes)) return;
    this.isPaused = true;
    this.#init.source.pause();
    this.#wait();
  }

  /** True if something waits for its turn. */
  get isBehind(): boolean {
    return this.#waiting !== undefined && this.#waiting.length > 0;
  }

  /** Hands on at once what waits. */
  flush(): void {
    this.#work(() => true);
  }

  /** Hands on nothing any more: lets go what waits, and whatever comes. */
  drop(): void {
    this.#isDropped = true;
    this.#waiting = undefined;
  }

  #handOn(bytes: Bytes, weight: number): void {
    this.handedOn += bytes.length;
    this.#inThisTurn += weight;
    this.#init.onBytes(bytes);
  }

  #work(mayTake: () => boolean): void {
    const waiting = this.#waiting ?? [];
    for (let next = waiting[0]; next !== undefined && !this.#isDropped && mayTake(); next = waiting[0]) {
      const kept = this.#init.countKept?.(next) ?? 0;
      const length = Math.min(next.length, Math.max(kept, cutBytes));
      if (length < next.length) waiting[0] = next.subarray(length);
      else waiting.shift();
      this.#handOn(
        length < next.length ? next.subarray(0, length) : next,
        kept > cutBytes ? kept * keptFactor : length,
      );
    }
  }

  #takeTurn(): void {
    const end = clock.now() + budgetMs;
    this.#work(() => clock.now() < end);
  }

  #wait(): void {
    setImmediate(() => {
      if (this.#isDropped) return;
      this.#inThisTurn = 0;
      this.#takeTurn();
      if (this.isBehind) return this.#wait();
      this.isPaused = false;
      this.#init.source.resume();
      this.#init.onCaughtUp?.();
    });
  }
}
