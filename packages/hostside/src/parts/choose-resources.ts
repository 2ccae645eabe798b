import { inOption } from "../check-options.ts";
import type { CallContext, Diagnostic, ToolProvider } from "@hostside/core";
import { contextOnBehalfOf } from "@hostside/core/implement";
import type { Policy } from "@hostside/policy";
import type { McpProvider } from "@hostside/provider";
import {
  allowsUri,
  createResources,
  readAllowedUris,
  type ReadCacheOptions,
  type Resources,
} from "@hostside/provider/resources";
import { createResourceTools } from "@hostside/discovery/resource-tools";
import type { Configuration } from "../configuration/open-configuration.ts";
import type { HostOptions } from "../host-options.ts";
import type { HostTelemetry } from "../host-telemetry.ts";
import { redactResources } from "./redact-parts.ts";
import { watchParts } from "./choose-telemetry.ts";

/** Resources, and the tools by which a model gets at them. */
export interface ChosenResources {
  readonly resources: Resources;
  /** Empty where none are wanted. */
  readonly providers: readonly ToolProvider[];
  /** Ends the resources, and whoever watches them. */
  readonly close: () => Promise<void>;
}

/** What resources are made with. */
export interface ResourcesMeans {
  readonly provider: McpProvider;
  /** What the files say now. */
  readonly configuration: Pick<Configuration, "config">;
  readonly report: (diagnostic: Diagnostic) => void;
  readonly telemetry: HostTelemetry | undefined;
  readonly policy: Pick<Policy, "redactData">;
}

// As long as the gateway and the discovery tools wait for servers: one that hangs is no reason to
// show none of the others.
const listWaitMs = 5000;

/** Makes the resources of a provider, as the product says, else as the configuration does. */
export function chooseResources(
  given: HostOptions["resources"],
  { provider, configuration, report, telemetry, policy }: ResourcesMeans,
): ChosenResources {
  const { tools = {}, ...options } = given ?? {};
  const allows = readAllowedUris(options.allowedUris);
  const resources = inOption("resources", () =>
    createResources(provider, {
      listWaitMs,
      onDiagnostic: report,
      cache: () => cacheOf(configuration),
      ...options,
      allowedUris: (uri) => allows(uri) && allowsUri(configuration.config?.settings.allowedResourceUris ?? [], uri),
    }),
  );
  const readerOf = (context: CallContext | undefined): CallContext | undefined =>
    provider.principal === undefined ? context : contextOnBehalfOf(provider.principal, context);
  const endWatch = watchParts(telemetry, { resources });
  return {
    resources: redactResources(resources, { policy, readerOf }),
    // Of what a tool reads the policy masks the result.
    providers: tools === false ? [] : [createResourceTools(resources, tools)],
    close() {
      endWatch();
      return resources.close();
    },
  };
}

function cacheOf({ config }: ResourcesMeans["configuration"]): ReadCacheOptions | undefined {
  const { resourceCache } = config?.settings ?? {};
  if (resourceCache === undefined || resourceCache.enabled === false) return undefined;
  const { ttlMs, maxEntries } = resourceCache;
  return { ttlMs, maxEntries };
}
