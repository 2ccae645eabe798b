import { noSyntax } from "../syntax/references.ts";
import { isConfigMap } from "../parse/config-data.ts";
import type { ServerEntryRules } from "../read/entry-rules.ts";
import { readEntry } from "../read/read-entry.ts";
import { readOauth } from "../read/read-settings.ts";
import { createServerReader } from "../read/server-reader.ts";
import type { ConfigDialect } from "../read/dialect.ts";

const rules: ServerEntryRules = {
  title: "Zed",
  typeKeys: [],
  types: {},
  untypedUrl: "http",
  timeouts: [{ key: "timeout", unit: "s", field: "callMs" }],
  off: { key: "enabled", when: false },
  unsupported: { remote: "there is no remote project here; the server is started on this machine" },
  others: ["oauth", "source"],
  extra: (entry, draft) => readOauth(entry, draft),
};

// As it was before: the command is an object with all of it.
const oldRules: ServerEntryRules = { ...rules, nested: "command", commandKeys: ["path"] };

/** `context_servers` in the settings of Zed. */
export const zed: ConfigDialect = {
  name: "zed",
  title: rules.title,
  format: "jsonc",
  syntax: noSyntax,
  read(parsed) {
    const reader = createServerReader(parsed, { dialect: "zed" });
    reader.readMap(["context_servers"], (entry, id) => {
      if (
        entry.get("source") === "extension" ||
        (entry.has("settings") && !entry.has("command") && !entry.has("url"))
      ) {
        const message = "is a server of one of Zed's extensions, which says how it is started";
        entry.error("", { code: "unsupported", message, fix: "give its command" });
        return undefined;
      }
      return readEntry(entry, isConfigMap(entry.get("command")) ? oldRules : rules, { id, parsed });
    });
    return reader.result();
  },
};
