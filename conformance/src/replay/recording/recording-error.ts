import { HostsideError } from "@hostside/core";

/** What is wrong with a recording. */
export function recordingError(message: string, cause?: unknown): HostsideError {
  return new HostsideError(message, { code: "invalid_recording", ...(cause !== undefined && { cause }) });
}
