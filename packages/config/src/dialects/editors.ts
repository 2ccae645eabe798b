import { dataAt, isConfigMap, type ConfigData, type ConfigPath } from "../parse/config-data.ts";
import type { ConfigDialect } from "../read/server-reader.ts";
import type { ServerEntryRules } from "../read/unknown-keys.ts";
import { readOauth } from "../read/read-settings.ts";
import { createDialect } from "./create-dialect.ts";

const vscodeRules: ServerEntryRules = {
  title: "VS Code",
  types: { stdio: "stdio", http: "http", sse: "sse" },
  untypedUrl: "unsure",
  cwd: true,
  envFile: true,
  others: ["sandbox", "sandboxEnabled", "gallery", "version"],
  unsupported: { dev: "the development mode of VS Code is not there here" },
  extra(entry, draft) {
    if (entry.flag("sandboxEnabled") !== true) return;
    // To start it outside of the sandbox that was asked for would be a surprise.
    draft.set("disabled", true, entry.at("sandboxEnabled"));
    entry.warn("sandboxEnabled", {
      code: "unsupported",
      message: "there is no sandbox here, so that this server is switched off",
      fix: "describe it in hostside.json, if it may run without one",
    });
  },
};

// `mcp.json`, settings, `devcontainer.json`.
const holders: readonly ConfigPath[] = [[], ["mcp"], ["customizations", "vscode", "mcp"]];

/** `.vscode/mcp.json`, and `mcp` in settings and in `devcontainer.json`. */
export const vscode: ConfigDialect = createDialect({
  name: "vscode",
  syntax: { forms: ["env", "input", "folders"], unset: () => "error" },
  roots: holders.map((holder) => [...holder, "servers"]),
  inputsAt: holders.map((holder) => [...holder, "inputs"]),
  rules: vscodeRules,
});

const zedRules: ServerEntryRules = {
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

/** `context_servers` in the settings of Zed. */
export const zed: ConfigDialect = createDialect({
  name: "zed",
  roots: [["context_servers"]],
  rules: zedRules,
  rulesOf(entry) {
    const isExtension =
      entry.get("source") === "extension" || (entry.has("settings") && !entry.has("command") && !entry.has("url"));
    if (!isExtension) return zedRules;
    const message = "is a server of one of Zed's extensions, which says how it is started";
    entry.error("", { code: "unsupported", message, fix: "give its command" });
    return undefined;
  },
});

const opencodeCommon = {
  title: "opencode",
  types: { local: "stdio", remote: "http" },
  untypedUrl: "http",
  envKey: "environment",
} as const;

const firstOpencode: ServerEntryRules = {
  ...opencodeCommon,
  timeouts: [{ key: "timeout", unit: "ms", field: "connectMs" }],
  off: { key: "enabled", when: false },
  others: ["oauth"],
  extra: (entry, draft) => readOauth(entry, draft),
};

const secondOpencode: ServerEntryRules = {
  ...opencodeCommon,
  cwd: true,
  off: { key: "disabled", when: true },
  others: ["oauth", "timeout"],
  extra(entry, draft) {
    readOauth(entry, draft);
    const timeout = entry.entry("timeout");
    if (timeout === undefined) return;
    draft.timeout("connectMs", timeout.number("startup"), timeout.at("startup"));
    draft.timeout("callMs", timeout.number("request"), timeout.at("request"));
  },
};

/** `opencode.json`: `mcp`, and since its second version `mcp.servers`. */
export const opencode: ConfigDialect = createDialect({
  name: "opencode",
  syntax: { forms: ["curly"], unset: () => "error" },
  roots: ({ data }) => [isSecondOpencode(data) ? ["mcp", "servers"] : ["mcp"]],
  rules: firstOpencode,
  rulesOf: (_entry, _id, { parsed }) => (isSecondOpencode(parsed.data) ? secondOpencode : firstOpencode),
});

function isSecondOpencode(data: ConfigData | undefined): boolean {
  const servers = dataAt(data, ["mcp", "servers"]);
  return isConfigMap(servers) && !servers.has("type");
}

const continueRules: ServerEntryRules = {
  title: "Continue",
  types: { stdio: "stdio", sse: "sse", "streamable-http": "streamable" },
  untypedUrl: "unsure",
  cwd: true,
  unsupported: { connectionTimeout: "its unit is not documented, so that it is not used" },
  others: ["name", "apiKey", "requestOptions"],
  extra(entry, draft, { type }) {
    if (type === "stdio") return;
    draft.set("bearerToken", entry.text("apiKey"), entry.at("apiKey"));
    const options = entry.entry("requestOptions");
    for (const [name, value] of options?.textMap("headers") ?? []) {
      draft.member("headers", [name, value], entry.at("requestOptions", "headers", name));
    }
    for (const name of options?.names ?? []) {
      const message = "of requestOptions only headers are used";
      if (name !== "headers") options?.warn(name, { code: "unsupported", message });
    }
  },
};

/** `config.yaml` of Continue: a list of servers. */
export const continueDev: ConfigDialect = createDialect({
  name: "continue",
  format: "yaml",
  syntax: { forms: ["secrets"], unset: () => "error" },
  nameKey: "name",
  rules: continueRules,
});
