import { setImmediate } from "node:timers/promises";

/**
 * What Node warns of while something runs. More than ten listeners at one `AbortSignal` are such a
 * thing, and a host reads the warning as a leak.
 */
export async function nodeWarnings(run: () => Promise<void> | void): Promise<readonly string[]> {
  const heard: string[] = [];
  const hear = ({ message }: Error): void => void heard.push(message);
  process.on("warning", hear);
  try {
    await run();
    // Node tells of them in the next turn.
    await setImmediate();
  } finally {
    process.off("warning", hear);
  }
  return heard;
}
