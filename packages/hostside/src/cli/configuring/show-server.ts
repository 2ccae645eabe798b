import type { ServerDraft } from "@hostside/config";
import { redactSpec, redactUrl } from "@hostside/core";
import { shellLine } from "../render/shell-word.ts";
import type { Terminal } from "../terminal.ts";

/** What a server starts, or where it is, on one line and without its secrets. */
export function showStart(draft: ServerDraft): string {
  const shown = redactSpec(draft);
  if (shown.command !== undefined) return shellLine([shown.command, ...(shown.args ?? [])]);
  return draft.url === undefined ? "" : showUrl(draft.url);
}

// With references in it, it may be none; then what stands before the first.
function showUrl(url: string): string {
  if (URL.canParse(url)) return redactUrl(url);
  const [start = ""] = url.split("${", 1);
  return /^https?:\/\/[^/?#@]*$/.test(start) ? `${start}…` : "a URL";
}

/** A path as people read it: with `~` for their own folder. */
export function showPath(path: string, { home, platform }: Pick<Terminal, "home" | "platform">): string {
  const separator = platform === "win32" ? "\\" : "/";
  return path.startsWith(`${home}${separator}`) ? `~${path.slice(home.length)}` : path;
}
