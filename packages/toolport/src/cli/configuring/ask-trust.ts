import { isCancel, select } from "@clack/prompts";
import type { TrustAnswer } from "@toolport/config";
import type { Terminal } from "../terminal.ts";

/** Asks whether a server that was shown is trusted; `undefined`: not now. */
export async function askTrust(
  { stdin, stderr }: Terminal,
  signal: AbortSignal | undefined,
): Promise<TrustAnswer | undefined> {
  const answer = await select<TrustAnswer | "later">({
    message: "Start it from now on, whenever its servers are used in this folder?",
    options: [
      { value: "later", label: "not now" },
      { value: "trust", label: "yes, I trust it", hint: "asked again when its entry changes" },
      { value: "refuse", label: "no, never" },
    ],
    input: stdin,
    output: stderr,
    ...(signal !== undefined && { signal }),
  });
  return isCancel(answer) || answer === "later" ? undefined : answer;
}
