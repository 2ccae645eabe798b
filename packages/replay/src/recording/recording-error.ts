import { ToolportError } from "@toolport/core";

/** What is wrong with a recording. */
export function recordingError(message: string, cause?: unknown): ToolportError {
  return new ToolportError(message, { code: "invalid_recording", ...(cause !== undefined && { cause }) });
}
