import { HostsideError } from "@hostside/core";
import { assertKnownOptions, type Fields, isConfidentialUrl, kindOf, quoteText } from "@hostside/core/implement";
import type { OAuthPrompt } from "../oauth-options.ts";
import { launchBrowser } from "./launch-browser.ts";

/** Options of {@linkcode openBrowser}. */
export interface OpenBrowserOptions {
  /**
   * Opens a page, given as a URL of `https:`, or of `http:` on this machine; never as a part of a
   * command line. Rejects when that is known to have failed. Default: in the user's browser, by the
   * way of the operating system.
   */
  readonly launch?: ((url: string, signal: AbortSignal) => Promise<void>) | undefined;
}

const fields: Fields<OpenBrowserOptions> = { launch: true };

/**
 * Shows users authorization pages in their browser, on the machine of the host. Rejects with
 * `not_allowed` for a URL that is neither `https:` nor on this machine, and with `auth_required`
 * when the page could not be opened; `authorize()` says then which one it is, to be opened by hand.
 */
export function openBrowser(options: OpenBrowserOptions = {}): OAuthPrompt {
  assertKnownOptions("openBrowser()", options, fields);
  const { launch = launchBrowser } = options;
  if (typeof launch !== "function")
    throw new TypeError(`openBrowser(): launch must be a function, not ${kindOf(launch)}`);
  return async ({ serverId, url, signal }) => {
    signal.throwIfAborted();
    const server = `server ${quoteText(serverId)}`;
    if (!isConfidentialUrl(url)) {
      const message = `${server}: an authorization page must be https:, or on this machine, not ${quoteText(url.origin === "null" ? url.protocol : url.origin)}`;
      throw new HostsideError(message, { code: "not_allowed", serverId });
    }
    try {
      await launch(url.href, signal);
    } catch (error) {
      signal.throwIfAborted();
      throw new HostsideError("no browser could be opened here", { code: "auth_required", serverId, cause: error });
    }
    return "completed";
  };
}
