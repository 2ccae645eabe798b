import type { Interceptor, RequestInterceptor, Subscription } from "@toolport/core";
import type { Policy } from "@toolport/policy";
import type { SharedProviders } from "@toolport/pool";
import type { McpProvider } from "@toolport/provider";
import type { Resources } from "@toolport/resources";

/** What observes a toolport; `createTelemetry()` of `@toolport/otel` makes one. */
export interface ToolportTelemetry {
  /** Stands around the toolbox, before everything else. */
  readonly interceptor: Interceptor;
  /** Stands around each request of a provider that is no call, before everything else. */
  readonly requestInterceptor: RequestInterceptor;
  /** Is handed each part when it is made. What it returns is called when that part has ended. */
  watch(parts: {
    readonly provider?: McpProvider | undefined;
    readonly policy?: Policy | undefined;
    readonly resources?: Resources | undefined;
    readonly pool?: SharedProviders | undefined;
  }): Subscription;
}
