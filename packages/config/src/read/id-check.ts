import { foldCase, quoteText } from "@hostside/core/implement";
import { formatPath, type ConfigPath } from "../parse/config-data.ts";
import type { ProblemList } from "../problem/problem-list.ts";

const longestId = 128;

/** What a dialect says of names of servers. */
export interface IdRules {
  /**
   * `"refused"`: of two names that are equal after normalisation, only the first is used. Default:
   * a warning.
   */
  readonly alike?: "refused" | undefined;
}

/** The id of a server, and where it is written. */
export interface PlacedId {
  readonly id: string;
  readonly path: ConfigPath;
  readonly namePath: ConfigPath;
}

/**
 * A check of the ids of one file: whether each can be one, and whether it can be told from those
 * before it.
 */
export function createIdCheck(problems: ProblemList, { alike }: IdRules = {}): (placed: PlacedId) => boolean {
  const seen = new Map<string, PlacedId>();
  return (placed) => {
    const { id, path, namePath } = placed;
    const rule = ruleBroken(id);
    if (rule !== undefined) {
      const fix = `call it ${quoteText(suggestId(id), longestId)}`;
      problems.add({
        path,
        severity: "error",
        code: "invalid_id",
        message: `${quoteText(id, 80)} ${rule}`,
        fix,
        of: "name",
      });
      return false;
    }
    const normal = normalizeId(id);
    const other = seen.get(normal);
    if (other === undefined) {
      seen.set(normal, placed);
      return true;
    }
    const refused = alike === "refused" || other.id === id;
    const message =
      other.id === id
        ? `${quoteText(id, 80)} is the name of the server at ${formatPath(other.path)} already`
        : `${quoteText(id, 80)} and ${quoteText(other.id, 80)} at ${formatPath(other.path)} are the same after normalisation`;
    const severity = refused ? "error" : "warning";
    const fix = "give one of them another name";
    problems.add({ path: namePath, severity, code: "ids_alike", message, fix, of: "name", serverId: id });
    return !refused;
  };
}

function ruleBroken(id: string): string | undefined {
  if (id.trim() === "") return "is no name";
  if (id.length > longestId) return `is longer than ${longestId} characters`;
  return /[\p{Cc}\p{Cf}\p{Cs}]/u.test(id) ? "has characters in it that nobody sees" : undefined;
}

function suggestId(id: string): string {
  const visible = id
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, "")
    .trim()
    .slice(0, longestId);
  return visible === "" ? "server" : visible;
}

/**
 * An id as names of tools are made of it: ids that differ in nothing else give names that need a
 * suffix.
 */
export function normalizeId(id: string): string {
  return foldCase(id).replaceAll(/[^a-z0-9]/g, "_");
}
