import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readTrackedFiles } from "../scripts/tracked-files.mjs";

/** The options that the tables of each page of the reference have to list, and no others. */
const pages: Readonly<Record<string, readonly string[]>> = {
  authorization: ["ApiKeysOptions"],
  "connection-guard": ["ConnectionGuardOptions"],
  "credential-stores": ["KeyvCredentialsOptions"],
  discovery: ["ToolboxOptions", "ViewOptions"],
  frameworks: [
    "AdapterOptions",
    "ApiAdapterOptions",
    "AiSdkOptions",
    "AnthropicOptions",
    "GoogleOptions",
    "LangChainOptions",
    "MastraOptions",
    "AgentsOptions",
  ],
  gateway: ["GatewayOptions", "ListenOptions", "GatewayHttpOptions"],
  host: ["HostOptions", "ConversationOptions"],
  "kept-results": ["ResultsOptions"],
  limits: ["ConnectorOptions", "HttpOptions"],
  oauth: ["OAuthOptions"],
  observability: ["TelemetryOptions"],
  policy: [
    "PolicyOptions",
    "RuleOptions",
    "RuleLists",
    "AdmissionOptions",
    "EffectOptions",
    "ApprovalOptions",
    "PinOptions",
    "RedactionOptions",
  ],
  pool: ["SharedProvidersOptions"],
  provider: ["ProviderOptions"],
  recordings: ["RecorderOptions"],
  resources: ["ResourcesOptions"],
  results: ["PresentOptions"],
  "shared-state": ["SharedStateOptions", "PostgresStateOptions"],
  "signing-in": ["LoopbackRedirectOptions"],
};

const sources = readTrackedFiles("packages/*.ts", "conformance/src/*.ts")
  .filter((path) => path.includes("/src/") && !path.endsWith(".test.ts"))
  .map((path) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8"));

describe("the tables of options in docs/reference", () => {
  it.each(Object.entries(pages))("of %s.md list the options of %j, and no others", (page, types) => {
    const text = readFileSync(new URL(`../docs/reference/${page}.md`, import.meta.url), "utf8");
    expect(new Set(optionsOf(text))).toEqual(new Set(types.flatMap(membersOf)));
  });
});

/** The names in the first column of the tables whose head is "option". */
function optionsOf(page: string): readonly string[] {
  return Array.from(page.matchAll(/^\| option \|.*\n((?:\|.*\n)*)/gm), ([, rows = ""]) => rows)
    .flatMap((rows) => Array.from(rows.matchAll(/^\|([^|]*)\|/gm), ([, cell = ""]) => cell))
    .flatMap((cell) => Array.from(cell.matchAll(/`(\w+)/g), ([, name = ""]) => name));
}

function membersOf(type: string): readonly string[] {
  for (const source of sources) {
    const [, body] = new RegExp(`^(?:export )?interface ${type}\\b[^]*?\\{\\n([^]*?)^\\}`, "m").exec(source) ?? [];
    if (body !== undefined) return Array.from(body.matchAll(/^ {2}readonly (\w+)\??:/gm), ([, name = ""]) => name);
  }
  throw new TypeError(`no interface ${type}`);
}
