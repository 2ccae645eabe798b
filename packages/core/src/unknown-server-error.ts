import { findMeant } from "./find-meant.ts";
import { quoteText } from "./quote-text.ts";
import { HostsideError } from "./hostside-error.ts";

/**
 * An `unknown_server`: none of the registered `serverIds` is this one. The message suggests those
 * that differ from it in case and punctuation alone, or else by one slip of the keyboard, three at
 * most, which `details.suggestions` has as well.
 */
export function unknownServerError(serverId: string, serverIds: Iterable<string>): HostsideError {
  const suggestions = findMeant(serverId, serverIds, (id) => [id]);
  const meant = suggestions.map((id) => quoteText(id)).join(" or ");
  const hint = suggestions.length === 0 ? "" : `; did you mean ${meant}?`;
  return new HostsideError(`server ${quoteText(serverId)} is not registered${hint}`, {
    code: "unknown_server",
    serverId,
    details: suggestions.length === 0 ? undefined : { suggestions },
  });
}
