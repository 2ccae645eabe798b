import type { Interceptor, RequestInterceptor, Subscription } from "@hostside/core";
import type { Policy } from "@hostside/policy";
import type { McpProvider } from "@hostside/provider";
import type { Resources } from "@hostside/provider/resources";

/** Observes a host; `createTelemetry()` of `@hostside/otel` makes one. */
export interface HostTelemetry {
  /** Stands around the toolbox, before everything else. */
  readonly interceptor: Interceptor;
  /** Stands around each request of a provider that is no call, before everything else. */
  readonly requestInterceptor: RequestInterceptor;
  /**
   * Is handed each part when it is made. The returned function is called when that part has ended.
   */
  watch(parts: {
    readonly provider?: McpProvider | undefined;
    readonly policy?: Policy | undefined;
    readonly resources?: Resources | undefined;
  }): Subscription;
}

/** Takes the telemetry of the options, or makes the one that `true` stands for, which loads it. */
export async function chooseTelemetry(given: true | HostTelemetry | undefined): Promise<HostTelemetry | undefined> {
  if (given !== true) return given;
  try {
    const { createTelemetry } = await import("@hostside/otel");
    return createTelemetry();
  } catch (cause) {
    throw new TypeError("telemetry needs @opentelemetry/api: install it beside hostside", { cause });
  }
}
