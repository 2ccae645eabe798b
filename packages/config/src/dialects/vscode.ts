import type { ConfigPath } from "../parse/config-data.ts";
import type { ServerEntryRules } from "../read/entry-rules.ts";
import { readEntry } from "../read/read-entry.ts";
import { readInputs } from "../read/read-settings.ts";
import { createServerReader } from "../read/server-reader.ts";
import type { ConfigDialect } from "../read/dialect.ts";

const rules: ServerEntryRules = {
  title: "VS Code",
  types: { stdio: "stdio", http: "http", sse: "sse" },
  untypedUrl: "unsure",
  cwd: true,
  envFile: true,
  others: ["sandbox", "sandboxEnabled", "gallery", "version"],
  unsupported: { dev: "the development mode of VS Code is not there here" },
  extra(entry, draft, { type }) {
    const url = type === "http" ? entry.get("url") : undefined;
    if (typeof url === "string" && /^(?:unix|pipe):/i.test(url)) {
      entry.error("url", { code: "unsupported", message: "servers behind a socket or a pipe are not there here" });
    }
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
export const vscode: ConfigDialect = {
  name: "vscode",
  title: rules.title,
  format: "jsonc",
  syntax: { forms: ["env", "input", "folders"], unset: () => "error" },
  read(parsed) {
    const inputs = holders.flatMap((holder) => readInputs(parsed, [...holder, "inputs"]));
    const found = inputs.flatMap((one) => one.inputs);
    const reader = createServerReader(parsed, { dialect: "vscode", inputs: found });
    for (const { problems } of inputs) for (const problem of problems) reader.problems.add(problem);
    for (const holder of holders) {
      reader.readMap([...holder, "servers"], (entry, id) => readEntry(entry, rules, { id, parsed }));
    }
    return reader.result(found.length === 0 ? {} : { inputs: found });
  },
};
