import type { ServerEntryRules } from "../read/entry-rules.ts";
import { readEntry } from "../read/read-entry.ts";
import { createServerReader } from "../read/server-reader.ts";
import type { ConfigDialect } from "../read/dialect.ts";

const rules: ServerEntryRules = {
  title: "Continue",
  types: { stdio: "stdio", sse: "sse", "streamable-http": "streamable" },
  untypedUrl: "unsure",
  cwd: true,
  unsupported: { connectionTimeout: "its unit is not documented, so that it is not used" },
  others: ["name", "apiKey", "requestOptions"],
  extra(entry, draft, { type }) {
    if (type === "stdio") return;
    const key = entry.text("apiKey");
    if (key !== undefined) draft.set("bearerToken", key, entry.at("apiKey"));
    const options = entry.entry("requestOptions");
    for (const [name, value] of options?.textMap("headers") ?? []) {
      draft.member("headers", [name, value], [...entry.at("requestOptions"), "headers", name]);
    }
    const certificate = options?.entry("clientCertificate");
    const authorities =
      typeof options?.get("caBundlePath") === "string" ? options.text("caBundlePath") : options?.texts("caBundlePath");
    const tls = { ca: authorities, cert: certificate?.text("cert"), key: certificate?.text("key") };
    const found = Object.entries(tls).filter(([, value]) => value !== undefined);
    if (found.length > 0) draft.set("tls", Object.fromEntries(found), entry.at("requestOptions"));
    for (const name of options?.names ?? []) {
      if (!usedOptions.has(name))
        options?.warn(name, {
          code: "unsupported",
          message: `of requestOptions only ${[...usedOptions].join(", ")} are used`,
        });
    }
  },
};

const usedOptions: ReadonlySet<string> = new Set(["headers", "caBundlePath", "clientCertificate"]);

/** `config.yaml` of Continue: a list of servers. */
export const continueDev: ConfigDialect = {
  name: "continue",
  title: rules.title,
  format: "yaml",
  syntax: { forms: ["secrets"], unset: () => "error" },
  read(parsed) {
    const reader = createServerReader(parsed, { dialect: "continue" });
    reader.readList(["mcpServers"], "name", (entry, id) => readEntry(entry, rules, { id, parsed }));
    return reader.result();
  },
};
