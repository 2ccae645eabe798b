import { readFileSync } from "node:fs";
import { PrometheusExporter, PrometheusSerializer } from "@opentelemetry/exporter-prometheus";
import { MeterProvider } from "@opentelemetry/sdk-metrics";
import { parser } from "@prometheus-io/lezer-promql";
import { startFaultServer } from "@hostside/fixtures";
import { createResources } from "@hostside/provider/resources";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { createMemoryServer } from "./memory-server.ts";
import { createObservedHost, disableApi, registerApi } from "./observed-world.ts";

beforeAll(registerApi);
afterAll(disableApi);

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
const dashboard = JSON.parse(read("grafana/hostside.json")) as {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
};
const alerts = parse(read("prometheus/hostside.rules.yml")) as {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[];
};
const queries = [
  ...dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
  ...alerts.groups.flatMap(({ rules }) => rules.map(({ alert, expr }) => [alert, expr] as const)),
].map(([title, expr]) => [title, expr.replaceAll("$__rate_interval", "5m").replaceAll("$server", ".*")] as const);

/**
 * A selector of a query: which names, and which labels its matchers and the grouping around it ask
 * for.
 */
interface Selector {
  readonly name: RegExp;
  readonly labels: readonly string[];
}

const parts = /by \(([^)]*)\)|([a-z_]+)?\{([^}]*)\}|\b(hostside_\w+)\b(?=\))/g;

function selectorsOf(expr: string): readonly Selector[] {
  const selectors: Selector[] = [];
  let grouped: readonly string[] = [];
  for (const [, by, plain, matchers = "", bare] of expr.matchAll(parts)) {
    if (by !== undefined) {
      grouped = by.split(/,\s*/);
      continue;
    }
    const pattern = /__name__=~"([^"]+)"/.exec(matchers)?.[1];
    const matched = Array.from(matchers.matchAll(/(\w+)(?:=~|!~|!=|=)"/g), ([, label = ""]) => label);
    const labels = [...matched.filter((label) => label !== "__name__"), ...grouped];
    selectors.push({ name: new RegExp(`^(?:${pattern ?? plain ?? bare})$`), labels });
    grouped = [];
  }
  return selectors;
}

/**
 * What a run of real calls, with all that can go wrong with them, leaves behind at the exporter:
 * labels by name.
 */
async function scrape(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const exporter = new PrometheusExporter({ preventServerStart: true });
  const meterProvider = new MeterProvider({ readers: [exporter] });
  await using lost = await startFaultServer({ transport: "http", script: "session-expired" });
  const host = await createObservedHost({
    servers: [
      {
        id: "s",
        ...createMemoryServer(["a", "b"], ({ name }) =>
          name === "b" ? { error: { code: -1, message: "no" } } : { result: { content: [] } },
        ).spec,
        concurrency: "serial",
      },
      { id: "lost", ...lost.spec },
      { id: "gone", type: "http", url: "http://127.0.0.1:9/mcp" },
      { id: "dies", type: "stdio", command: process.execPath, args: ["-e", "process.exit(3)"] },
    ],
    telemetry: { meterProvider },
    policy: {
      deny: ["s/none"],
      limits: [{ tools: ["s/b"], rate: { calls: 1, perMs: 3_600_000 } }],
      breaker: { failures: 1, per: "tool" },
    },
  });
  const { toolbox, telemetry, provider, policy } = host;
  const resources = createResources(provider, { cache: {} });
  telemetry.watch({ resources });
  telemetry.watch({
    policy: {
      onEvent: (listener) => (
        listener({ type: "circuit-opened", serverId: "s", toolName: "a" }),
        policy.onEvent(() => {})
      ),
    },
  });
  await Promise.all([toolbox.call("mcp_s_a"), toolbox.call("mcp_s_a"), toolbox.call("mcp_s_b").catch(() => undefined)]);
  await toolbox.call("mcp_s_b").catch(() => undefined);
  await toolbox.call(toolbox.tools().find(({ origin }) => origin?.serverId === "lost")?.name ?? "");
  for (let count = 0; count < 2; count += 1) await resources.read({ serverId: "s", uri: "note://1" });
  telemetry.collect();
  await host[Symbol.asyncDispose]();
  const { resourceMetrics } = await exporter.collect();
  const text = new PrometheusSerializer().serialize(resourceMetrics);
  await meterProvider.shutdown();
  const series = new Map<string, Set<string>>();
  for (const [, name = "", labels = ""] of text.matchAll(/^([a-z_]+)(?:\{(.*)\})? \S+$/gm)) {
    const known = series.get(name) ?? new Set();
    for (const [, label = ""] of labels.matchAll(/(\w+)="/g)) known.add(label);
    series.set(name, known);
  }
  return series;
}

describe("the dashboard and the alerts", () => {
  it.each(queries)("%s is PromQL", (_title, expr) => {
    const wrong: string[] = [];
    parser.parse(expr).iterate({
      enter({ type, from, to }) {
        if (type.isError) wrong.push(expr.slice(from, Math.max(to, from + 20)));
      },
    });
    expect(wrong).toEqual([]);
    expect(selectorsOf(expr).length).toBeGreaterThan(0);
  });

  it("ask for nothing that a run of real calls does not leave at the exporter for Prometheus", async () => {
    const series = await scrape();
    const missing = queries.flatMap(([title, expr]) =>
      selectorsOf(expr).flatMap(({ name, labels }) => {
        const found = Array.from(series).filter(([metric]) => name.test(metric));
        if (found.length === 0) return [`${title}: nothing is called ${name.source}`];
        const known = new Set(found.flatMap(([, own]) => Array.from(own)));
        return labels.filter((label) => !known.has(label)).map((label) => `${title}: ${name.source} has no ${label}`);
      }),
    );
    expect(missing).toEqual([]);
  });
});
