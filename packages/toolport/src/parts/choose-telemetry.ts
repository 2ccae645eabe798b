import type { ToolportOptions } from "../toolport-options.ts";
import type { ToolportTelemetry } from "../toolport-telemetry.ts";

/** Takes what was handed in, or makes what `true` stands for. Loaded only then: most processes have no use for it. */
export async function chooseTelemetry(given: ToolportOptions["telemetry"]): Promise<ToolportTelemetry | undefined> {
  if (given !== true) return given;
  try {
    const { createTelemetry } = await import("@toolport/otel");
    return createTelemetry();
  } catch (cause) {
    throw new TypeError("telemetry needs @opentelemetry/api: install it beside toolport", { cause });
  }
}

/** Has telemetry watch parts of which there is one; the returned function ends that. */
export function watchParts(
  telemetry: ToolportTelemetry | undefined,
  parts: Parameters<ToolportTelemetry["watch"]>[0],
): () => void {
  const watching = telemetry?.watch(parts);
  return () => watching?.();
}
