import { readFile } from "node:fs/promises";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { checkRegistry, serverChecks } from "../src/server/checks/server-checks.ts";

const registry = checkRegistry();
const urls = [
  ...registry.server.map(({ requirement }) => requirement.url),
  ...registry.untestable.map(({ url }) => url),
];
const specification = "https://modelcontextprotocol.io/specification/";

describe("the registry of checks", () => {
  it("is what checks.json holds", async () => {
    await expect(`${JSON.stringify(registry, null, 2)}\n`).toMatchFileSnapshot("../checks.json");
  });

  it("keeps to its schema", async () => {
    const schema: unknown = JSON.parse(await readFile(new URL("../checks.schema.json", import.meta.url), "utf8"));
    const validate = new Ajv2020({ allErrors: true }).compile(schema as object);
    validate(JSON.parse(JSON.stringify(registry)));
    expect(validate.errors).toBeNull();
  });

  it("has ids that stay: a check may be added, none may vanish or change its name", () => {
    // Removing a line here breaks baselines and pipelines of those who use the kit.
    expect(serverChecks.map(({ id }) => id)).toMatchInlineSnapshot(`
      [
        "lifecycle/initialize",
        "lifecycle/goes-on",
        "lifecycle/second-client",
        "lifecycle/initialize-result",
        "lifecycle/negotiates-2025-11-25",
        "lifecycle/negotiates-2025-06-18",
        "lifecycle/negotiates-2025-03-26",
        "lifecycle/negotiates-2024-11-05",
        "lifecycle/unknown-revision",
        "lifecycle/request-before-handshake",
        "lifecycle/stateless-era",
        "requests/probe",
        "requests/response-shape",
        "requests/respects-capabilities",
        "requests/notifications-declared",
        "requests/unknown-method",
        "requests/invalid-params",
        "requests/notification-unanswered",
        "requests/ids",
        "requests/concurrency",
        "requests/batch",
        "requests/large-message",
        "requests/odd-text",
        "stdio/stdout-purity",
        "stdio/unexpected-exit",
        "stdio/exits-on-end-of-input",
        "stdio/exits-on-sigterm",
        "stdio/leaves-no-process-behind",
        "stdio/second-process",
        "stdio/split-writes",
        "stdio/merged-writes",
        "stdio/survives-garbage",
        "stdio/time-to-initialize",
        "stdio/stderr-volume",
        "http/content-type",
        "http/notification-accepted",
        "http/get-stream",
        "http/session-required",
        "http/unknown-session",
        "http/session-id-form",
        "http/session-id-secure",
        "http/delete-session",
        "http/ended-session",
        "http/foreign-origin",
        "http/unsupported-version-header",
        "http/bad-json",
        "http/header-mismatch",
        "http/unknown-method-status",
        "sse/endpoint",
        "sse/endpoint-origin",
        "sse/message-events",
        "sse/notification-accepted",
        "sse/own-endpoint",
        "sse/unknown-session",
        "sse/bad-json",
        "sse/foreign-origin",
        "auth/challenge",
        "auth/resource-metadata",
        "auth/resource-identifier",
        "auth/server-metadata",
        "auth/pkce",
        "auth/https",
        "auth/invalid-token",
        "auth/forged-token",
        "auth/token-in-query",
        "auth/audience",
        "auth/dpop-proof",
        "auth/dpop-elsewhere",
        "auth/insufficient-scope",
        "tools/list",
        "tools/capability-honest",
        "tools/pagination-ends",
        "tools/unknown-cursor",
        "tools/cursor-form",
        "tools/list-changed-honest",
        "tools/cursor-stable",
        "tools/order-stable",
        "tools/restart-stable",
        "tools/entries",
        "tools/name-unique",
        "tools/name-form",
        "tools/input-schema",
        "tools/output-schema",
        "tools/schema-compiles",
        "tools/schema-local",
        "tools/header-parameters",
        "tools/annotations",
        "calls/unknown-tool",
        "calls/answered",
        "calls/result-content",
        "calls/output-matches-schema",
        "calls/structured-as-text",
        "calls/unasked-progress",
        "calls/no-cross-talk",
        "calls/missing-arguments",
        "calls/absent-arguments",
        "calls/cancelled",
        "calls/client-leaves",
        "resources/list",
        "resources/capability-honest",
        "resources/pagination-ends",
        "resources/unknown-cursor",
        "resources/cursor-form",
        "resources/list-changed-honest",
        "resources/entries",
        "resources/uri-unique",
        "resources/templates",
        "resources/contents",
        "resources/media-types",
        "resources/read-listed",
        "resources/unknown",
        "prompts/list",
        "prompts/capability-honest",
        "prompts/pagination-ends",
        "prompts/unknown-cursor",
        "prompts/cursor-form",
        "prompts/list-changed-honest",
        "prompts/entries",
        "prompts/name-unique",
        "prompts/messages",
        "prompts/get-listed",
        "prompts/missing-arguments",
        "prompts/unknown",
        "completion/values",
        "completion/capability-honest",
        "completion/unknown",
        "portability/name-length",
        "portability/name-characters",
        "portability/name-collisions",
        "portability/schema-top-level",
        "portability/schema-properties",
        "portability/schema-size",
        "portability/schema-patterns",
        "portability/description",
        "portability/plain-text",
        "portability/token-cost",
        "portability/instructions",
      ]
    `);
  });

  it("stands on pages of the specification that exist", () => {
    const pages = urls.filter((url) => url.startsWith(specification)).map((url) => url.slice(specification.length));
    expect([...new Set(pages.map((page) => page.split("#", 1)[0] ?? ""))].sort(byText)).toEqual([
      "2024-11-05/basic/transports",
      "2025-11-25/basic",
      "2025-11-25/basic/authorization",
      "2025-11-25/basic/lifecycle",
      "2025-11-25/basic/transports",
      "2025-11-25/basic/utilities/cancellation",
      "2025-11-25/basic/utilities/ping",
      "2025-11-25/basic/utilities/progress",
      "2025-11-25/schema",
      "2025-11-25/server/prompts",
      "2025-11-25/server/resources",
      "2025-11-25/server/tools",
      "2025-11-25/server/utilities/completion",
      "2025-11-25/server/utilities/pagination",
      "2026-07-28/basic/index",
      "2026-07-28/basic/transports/streamable-http",
      "2026-07-28/basic/versioning",
      "2026-07-28/server/discover",
      "2026-07-28/server/tools",
    ]);
  });

  it("names its other sources, and explains every piece of host advice", async () => {
    const others = urls.filter((url) => !url.startsWith(specification));
    const advice = "https://github.com/hostside/hostside/blob/main/docs/internals/host-advice.md#";
    const anchors = others.filter((url) => url.startsWith(advice)).map((url) => url.slice(advice.length));
    expect(new Set(others.filter((url) => !url.startsWith(advice)))).toEqual(
      new Set([
        "https://www.jsonrpc.org/specification#error_object",
        "https://www.rfc-editor.org/rfc/rfc9449.html#section-4.3",
        "https://www.rfc-editor.org/rfc/rfc9449.html#section-7.1",
        "https://www.rfc-editor.org/rfc/rfc9728.html#section-3.3",
      ]),
    );
    const page = await readFile(new URL("../../docs/internals/host-advice.md", import.meta.url), "utf8");
    const sections = Array.from(page.matchAll(/^## (.+)$/gm), ([, title]) => title ?? "");
    expect(sections.toSorted(byText)).toEqual([...new Set(anchors)].sort(byText));
  });
});

function byText(a: string, b: string): number {
  return a < b ? -1 : 1;
}
