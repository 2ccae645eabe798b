import type { DialectName, ServerDraft } from "@hostside/config";
import { findConfigFiles, findProjectFolder, readConfigFile, type ConfigLocation } from "@hostside/config/node";
import { redactSpec, redactUrl } from "@hostside/core";
import type { Terminal } from "../terminal.ts";

/** A configuration file of a tool, and what is in it. */
export interface SurveyedFile {
  readonly tool: string;
  readonly dialect: DialectName;
  readonly file: string;
  readonly scope: ConfigLocation["scope"];
  /** The tool itself says that its file is there. */
  readonly certain: boolean;
  readonly servers: readonly SurveyedServer[];
  readonly errors: number;
  readonly warnings: number;
}

/** A server of a file. */
export interface SurveyedServer {
  readonly name: string;
  /** The command line that starts it, or its URL; without secrets. */
  readonly starts: string;
  readonly disabled: boolean;
}

/**
 * Looks at every configuration of another tool that is here; the stronger ones last. Nothing is
 * started, and nothing is put into entries.
 */
export async function surveyConfigs({ env, home, platform, cwd }: Terminal): Promise<readonly SurveyedFile[]> {
  const place = { env, home, platform, cwd };
  const projectFolder = findProjectFolder(place);
  const found = findConfigFiles(place).filter(({ dialect }) => dialect !== "hostside");
  return Promise.all(
    found.map(async ({ path, dialect, tool, scope, certain }): Promise<SurveyedFile> => {
      // A file called `mcp.json` may be in any dialect.
      const known = dialect === "mcp-json" ? {} : { dialect };
      const { servers, problems } = await readConfigFile(path, { ...known, projectFolder });
      const errors = problems.filter(({ severity }) => severity === "error").length;
      return {
        tool: tool === "any" ? "mcp.json" : tool,
        dialect,
        file: path,
        scope,
        certain,
        servers: servers.map(({ id: name, draft }) => ({
          name,
          starts: showStart(draft),
          disabled: draft.disabled === true,
        })),
        errors,
        warnings: problems.length - errors,
      };
    }),
  );
}

function showStart(draft: ServerDraft): string {
  const shown = redactSpec(draft);
  if (shown.command !== undefined) return [shown.command, ...(shown.args ?? [])].join(" ");
  const { url = "" } = shown;
  // With references in it, it may not be a URL yet.
  return URL.canParse(url) ? redactUrl(url) : "a URL";
}
