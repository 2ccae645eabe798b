import type { Interceptor, RequestInterceptor, Subscription } from "@hostside/core";
import type { Policy } from "@hostside/policy";
import type { SharedProviders } from "@hostside/cluster";
import type { McpProvider } from "@hostside/provider";
import type { Resources } from "@hostside/provider/resources";

/** What observes a host; `createTelemetry()` of `@hostside/otel` makes one. */
export interface HostTelemetry {
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
