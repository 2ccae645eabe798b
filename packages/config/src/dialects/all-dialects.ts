import { adk } from "./adk.ts";
import { amazonQ } from "./amazon-q.ts";
import { anda } from "./anda.ts";
import { claudeCode } from "./claude-code.ts";
import { claudeDesktop } from "./claude-desktop.ts";
import { cline } from "./cline.ts";
import { codex } from "./codex.ts";
import { continueDev } from "./continue.ts";
import { cursor } from "./cursor.ts";
import type { ConfigDialect } from "./dialect.ts";
import type { DialectName } from "./dialect-name.ts";
import { evva } from "./evva.ts";
import { gemini } from "./gemini.ts";
import { goose } from "./goose.ts";
import { mcpJson } from "./mcp-json.ts";
import { mcporter } from "./mcporter.ts";
import { nexo } from "./nexo.ts";
import { opencode } from "./opencode.ts";
import { roo } from "./roo.ts";
import { hostside } from "./hostside.ts";
import { vscode } from "./vscode.ts";
import { windsurf } from "./windsurf.ts";
import { zed } from "./zed.ts";

const all: Readonly<Record<DialectName, ConfigDialect>> = {
  hostside,
  "mcp-json": mcpJson,
  "claude-code": claudeCode,
  "claude-desktop": claudeDesktop,
  cursor,
  vscode,
  codex,
  gemini,
  windsurf,
  zed,
  cline,
  roo,
  continue: continueDev,
  opencode,
  goose,
  "amazon-q": amazonQ,
  mcporter,
  evva,
  nexo,
  anda,
  adk,
};

/** The dialect of a name. Throws a `TypeError` for one that there is not. */
export function configDialectOf(name: DialectName): ConfigDialect {
  if (!Object.hasOwn(all, name)) throw new TypeError(`there is no dialect ${JSON.stringify(name)}`);
  return all[name];
}
