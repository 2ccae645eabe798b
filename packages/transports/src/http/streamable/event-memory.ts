import { isJsonObject, createLazyMap } from "@hostside/core/implement";

/** Which events came already, on a stream that is resumed. */
export interface EventMemory {
  /**
   * Whether this is a message that came on an earlier stream, and must not be acted on again.
   * Answers never are: each is taken once anyway, and a server that gives all events one id must
   * not lose them.
   */
  isReplay(json: unknown, eventId: string | undefined): boolean;
  /** What comes now comes on another stream. */
  nextStream(): void;
}

// The latest ids of a stream; an older event is not played again by anyone but a server that means
// it.
const mostIds = 256;

/** Makes an empty memory. */
export function createEventMemory(): EventMemory {
  const streamOf = createLazyMap<string, number>();
  let stream = 0;
  return {
    isReplay(json, eventId) {
      if (eventId === undefined) return false;
      const first = streamOf.get(eventId);
      if (first !== undefined) return first < stream && isJsonObject(json) && "method" in json;
      streamOf.set(eventId, stream);
      if (streamOf.size > mostIds) for (const [oldest] of streamOf.entries()) if (streamOf.delete(oldest)) break;
      return false;
    },
    nextStream() {
      stream += 1;
    },
  };
}
