import type { HostOptions } from "../host-options.ts";
import type { HostTelemetry } from "../host-telemetry.ts";

/**
 * Takes what was handed in, or makes what `true` stands for. Loaded only then: most processes have
 * no use for it.
 */
export async function chooseTelemetry(given: HostOptions["telemetry"]): Promise<HostTelemetry | undefined> {
  if (given !== true) return given;
  try {
    const { createTelemetry } = await import("@hostside/otel");
    return createTelemetry();
  } catch (cause) {
    throw new TypeError("telemetry needs @opentelemetry/api: install it beside hostside", { cause });
  }
}

/** Has telemetry watch parts of which there is one; the returned function ends that. */
export function watchParts(
  telemetry: HostTelemetry | undefined,
  parts: Parameters<HostTelemetry["watch"]>[0],
): () => void {
  const watching = telemetry?.watch(parts);
  return () => watching?.();
}
