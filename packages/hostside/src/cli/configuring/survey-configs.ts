import { findProjectFolder, type ServerDraft, type ConfigLocation, type DialectName } from "@hostside/config";
import { redactSpec, redactUrl } from "@hostside/core";
import type { Terminal } from "../terminal.ts";
import { existsSync } from "node:fs";
import { findConfigFiles, readConfigFile } from "@hostside/config/node";

/** What a server starts, or where it is, on one line and without its secrets. */
function showStart(draft: ServerDraft): string {
  const shown = redactSpec(draft);
  if (shown.command !== undefined) return [shown.command, ...(shown.args ?? [])].map(quoteWord).join(" ");
  return draft.url === undefined ? "" : showUrl(draft.url);
}

function quoteWord(word: string): string {
  return /^[\w@%+=:,./\\[\]~-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
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

/** A configuration that somebody has, and what is in it. */
export interface SurveyedFile {
  readonly tool: string;
  readonly dialect: DialectName;
  readonly file: string;
  readonly scope: ConfigLocation["scope"];
  /** Whether the tool itself says that its file is there. */
  readonly certain: boolean;
  readonly servers: readonly SurveyedServer[];
  readonly errors: number;
  readonly warnings: number;
}

/** A server of a file. */
export interface SurveyedServer {
  readonly name: string;
  /** What it starts, or where it is; without secrets. */
  readonly starts: string;
  readonly disabled: boolean;
}

/**
 * Looks at every configuration of another tool that is here; the stronger ones last. Nothing is
 * started, and nothing is put into entries.
 */
export async function surveyConfigs({ env, home, platform, cwd }: Terminal): Promise<readonly SurveyedFile[]> {
  const place = { env, home, platform, cwd };
  const projectFolder = findProjectFolder({ ...place, exists: existsSync });
  const found = findConfigFiles(place).filter(({ dialect }) => dialect !== "hostside");
  return Promise.all(
    found.map(async ({ path, dialect, tool, scope, certain }): Promise<SurveyedFile> => {
      // A file called `mcp.json` may be in any dialect.
      const known = dialect === "mcp-json" ? {} : { dialect };
      const { servers, problems } = await readConfigFile(path, { ...known, projectFolder });
      const count = (severity: "error" | "warning"): number =>
        problems.filter((problem) => problem.severity === severity).length;
      return {
        tool: tool === "any" ? "mcp.json" : tool,
        dialect,
        file: path,
        scope,
        certain,
        servers: servers.map(({ id, draft }) => ({
          name: id,
          starts: showStart(draft),
          disabled: draft.disabled === true,
        })),
        errors: count("error"),
        warnings: count("warning"),
      };
    }),
  );
}
