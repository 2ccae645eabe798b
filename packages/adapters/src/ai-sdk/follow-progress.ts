import { cleanText, type Progress } from "@hostside/core";

/** How far a call is, for the stream of a generation. The message is a server's. */
export interface AiSdkProgress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/**
 * Yields what a call reports while it runs, and at last what it resolves with. Of reports that come
 * faster than they are taken only the last one is kept. Rejects as the call does. Whoever stops
 * early does not stop the call: its signal does.
 */
export async function* followProgress<T>(
  run: (onProgress: (progress: Progress) => void) => Promise<T>,
): AsyncGenerator<AiSdkProgress | T, void, void> {
  const state: { latest?: Progress | undefined; isOver: boolean; wake: () => void } = { isOver: false, wake: () => {} };
  const running = run((progress) => {
    state.latest = progress;
    state.wake();
  });
  const end = (): void => {
    state.isOver = true;
    state.wake();
  };
  running.then(end, end);
  while (!state.isOver) {
    const { latest } = state;
    state.latest = undefined;
    if (latest !== undefined) yield toReport(latest);
    else await new Promise<void>((resolve) => (state.wake = resolve));
  }
  yield await running;
}

function toReport({ progress, total, message }: Progress): AiSdkProgress {
  return {
    progress,
    ...(total !== undefined && { total }),
    ...(message !== undefined && { message: cleanText(message, 200) }),
  };
}
