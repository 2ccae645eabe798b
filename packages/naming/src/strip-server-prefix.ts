import { foldCase } from "@hostside/core/implement";

// What stands between the words of a segment, whichever scheme made it.
const separators = "_-";

/**
 * A tool's segment without the server's in front of it: `firecrawl_search` of server `firecrawl` is
 * `search`. Something is always left. Two tools whose segments become the same this way collide
 * like any others.
 */
export function stripServerPrefix(toolSegment: string, serverSegment: string): string {
  const rest = toolSegment.slice(serverSegment.length);
  const isEcho =
    serverSegment !== "" &&
    foldCase(toolSegment).startsWith(foldCase(serverSegment)) &&
    separators.includes(rest.charAt(0)) &&
    /^[_-]+[A-Za-z0-9]/.test(rest);
  return isEcho ? rest.replace(/^[_-]+/, "") : toolSegment;
}
