import { HostsideError, type RequestInterceptor } from "@hostside/core";
import { quoteText } from "@hostside/core/implement";

const methods: ReadonlySet<string> = new Set(["resources/read", "resources/subscribe"]);
const bareScheme = /^[a-z][a-z0-9+.-]*$/i;

/**
 * Refuses with `not_allowed`, before anything is sent, to read and to subscribe to resources whose URI begins with none of `allowed()`; a scheme is enough:
 * `file`. With none, all may be read.
 */
export function holdToAllowedUris(allowed: () => readonly string[]): RequestInterceptor {
  return async (request, next) => {
    const beginnings = allowed();
    if (beginnings.length === 0 || !methods.has(request.method)) return next(request);
    const uri = request.params?.["uri"];
    if (typeof uri === "string" && beginnings.some((one) => uri.startsWith(bareScheme.test(one) ? `${one}:` : one))) {
      return next(request);
    }
    const shown = typeof uri === "string" ? quoteText(uri, 200) : "without a URI";
    throw new HostsideError(`resource ${shown} is not allowed by allowedResourceUris of the configuration`, {
      code: "not_allowed",
      serverId: request.serverId,
      details: { operation: request.method, policy: "allowedResourceUris" },
    });
  };
}
