import type { Cancel, Clock, Notices } from "@hostside/core";

/** Reads again what another replica has changed. */
export interface NoticeReader {
  /** Tells the other replicas. Never throws. */
  publish(): void;
  /** Hears of nothing any more. Idempotent. */
  close(): void;
}

/** What it reads, and when. */
export interface NoticeReaderInit {
  readonly notices: Notices;
  readonly topic: string;
  readonly clock: Clock;
  readonly read: () => Promise<void>;
  /** It could not be read, and is tried again. */
  readonly onFailure: (error: unknown) => void;
  /** The others could not be told. */
  readonly onUnsent: (error: unknown) => void;
}

const retryMs = 5000;

/**
 * Makes one, which listens from now on. However many notices come, one reading is under way and one
 * is still to come.
 */
export function readOnNotice({ notices, topic, clock, read, onFailure, onUnsent }: NoticeReaderInit): NoticeReader {
  const state = { isOutdated: false, isReading: false, isClosed: false };
  let cancelRetry: Cancel = () => {};
  const readAll = async (): Promise<void> => {
    state.isReading = true;
    try {
      while (state.isOutdated && !state.isClosed) {
        state.isOutdated = false;
        await read();
      }
    } catch (error) {
      onFailure(error);
      // What is known stays, and is old for certain.
      if (!state.isClosed) cancelRetry = clock.schedule(retryMs, onNotice);
    } finally {
      state.isReading = false;
    }
  };
  const onNotice = (): void => {
    cancelRetry();
    state.isOutdated = true;
    if (!state.isReading && !state.isClosed) void readAll();
  };
  const publish = async (): Promise<void> => {
    try {
      await notices.publish(topic);
    } catch (error) {
      onUnsent(error);
    }
  };
  const listening = notices.subscribe(topic, onNotice);
  return {
    publish: () => void publish(),
    close() {
      state.isClosed = true;
      cancelRetry();
      listening();
    },
  };
}
