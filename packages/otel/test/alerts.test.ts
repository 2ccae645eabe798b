import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";

// `promtool` comes with Prometheus; CI installs it. Without it the grammar of the queries is
// checked elsewhere, and not what they say.
const hasPromtool = spawnSync("promtool", ["--version"]).status === 0;

const rulesPath = fileURLToPath(new URL("../prometheus/hostside.rules.yml", import.meta.url));
const dashboardPath = new URL("../grafana/hostside.json", import.meta.url);
const folder = mkdtempSync(join(tmpdir(), "hostside-alerts-"));
afterAll(() => rmSync(folder, { recursive: true }));

interface Rule {
  readonly alert: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

const rules = (
  parse(readFileSync(rulesPath, "utf8")) as { readonly groups: readonly { readonly rules: readonly Rule[] }[] }
).groups.flatMap((group) => group.rules);

/**
 * Series, a value for each minute from 0 on, in the notation of promtool; and for whom the alert
 * fires then, of all that they tell of.
 */
interface Case {
  readonly minute: number;
  readonly series: Readonly<Record<string, string>>;
  readonly fires: readonly Readonly<Record<string, string>>[];
}

const calls = 'mcp_method_name="tools/call"';
const bucket = (name: string, labels: string, [below, beyond]: readonly [string, string]): Record<string, string> => ({
  [`${name}{${labels},le="${below}"}`]: "0x60",
  [`${name}{${labels},le="${beyond}"}`]: "0+10x60",
  [`${name}{${labels},le="+Inf"}`]: "0+10x60",
});

const cases: Readonly<Record<string, Case>> = {
  HostsideServerFails: {
    minute: 25,
    series: {
      [`mcp_client_operation_duration_seconds_count{hostside_server="bad",${calls},error_type="call_timeout"}`]:
        "0+6x60",
      [`mcp_client_operation_duration_seconds_count{hostside_server="bad",${calls}}`]: "0+4x60",
      [`mcp_client_operation_duration_count{hostside_server="tools",${calls},error_type="tool_error"}`]: "0+9x60",
      [`mcp_client_operation_duration_count{hostside_server="tools",${calls},error_type="call_timeout"}`]: "0+1x60",
    },
    fires: [{ hostside_server: "bad" }],
  },
  HostsideServerUnreachable: {
    minute: 10,
    series: {
      'mcp_client_operation_duration_count{hostside_server="gone",mcp_method_name="initialize",error_type="unreachable"}':
        "0+1x60",
      'mcp_client_operation_duration_count{hostside_server="some",mcp_method_name="initialize",error_type="unreachable"}':
        "0+1x60",
      'hostside_sessions{hostside_server="gone"}': "0x60",
      'hostside_sessions{hostside_server="some"}': "1x60",
      'mcp_client_operation_duration_count{hostside_server="up",mcp_method_name="initialize"}': "0+1x60",
    },
    fires: [{ hostside_server: "gone" }],
  },
  HostsideCircuitOpen: {
    minute: 6,
    series: {
      'hostside_circuit_state{hostside_server="s",gen_ai_tool_name="a"}': "2x60",
      'hostside_circuit_state{hostside_server="s",gen_ai_tool_name="b"}': "1x60",
    },
    fires: [{ hostside_server: "s", gen_ai_tool_name: "a" }],
  },
  HostsideCallsQueue: {
    minute: 25,
    series: {
      ...bucket("hostside_call_wait_seconds_bucket", 'hostside_phase="turn",hostside_server="busy"', ["5", "10"]),
      ...bucket("hostside_call_wait_seconds_bucket", 'hostside_phase="connect",hostside_server="slow"', ["5", "10"]),
      ...bucket("hostside_call_wait_bucket", 'hostside_phase="turn",hostside_server="calm"', ["1", "5"]),
    },
    fires: [{ hostside_server: "busy" }],
  },
  HostsideCallsSlow: {
    minute: 30,
    series: {
      ...bucket("mcp_client_operation_duration_seconds_bucket", `${calls},hostside_server="slow"`, ["30", "60"]),
      ...bucket("mcp_client_operation_duration_seconds_bucket", `${calls},hostside_server="fast"`, ["10", "30"]),
    },
    fires: [{ hostside_server: "slow" }],
  },
  HostsideSessionsLost: {
    minute: 12,
    series: {
      'mcp_client_session_duration_seconds_count{hostside_server="s",error_type="connection_closed"}': "0+1x60",
      'mcp_client_session_duration_seconds_count{hostside_server="ends"}': "0+1x60",
    },
    fires: [{ hostside_server: "s" }],
  },
  HostsideRefusesMany: {
    minute: 15,
    series: {
      'hostside_decisions_total{hostside_decision="refused",hostside_stage="limits"}': "0+6x60",
      'hostside_decisions_total{hostside_decision="refused",hostside_stage="rules"}': "0+1x60",
      'hostside_decisions_total{hostside_decision="applied",hostside_stage="retry"}': "0+9x60",
      hostside_call_duration_seconds_count: "0+10x60",
    },
    fires: [{ hostside_stage: "limits" }],
  },
  HostsideTooManyNames: {
    minute: 1,
    series: { 'hostside_call_duration_count{gen_ai_tool_name="_other"}': "1x60" },
    fires: [{}],
  },
};

describe.skipIf(!hasPromtool)("as Prometheus sees them, where promtool is installed", () => {
  it("each alert has a case of its own", () => {
    expect(Object.keys(cases).toSorted()).toEqual(rules.map(({ alert }) => alert).toSorted());
  });

  it("each alert fires for those that it is about, says of whom it speaks, and for nobody else", () => {
    const tests = rules.map((rule) => {
      const { minute, series, fires } = cases[rule.alert] ?? { minute: 0, series: {}, fires: [] };
      return {
        interval: "1m",
        input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
        alert_rule_test: [
          {
            eval_time: "0m",
            alertname: rule.alert,
            exp_alerts: rule.alert === "HostsideTooManyNames" ? expected(rule, fires) : [],
          },
          { eval_time: `${minute}m`, alertname: rule.alert, exp_alerts: expected(rule, fires) },
        ],
      };
    });
    const path = join(folder, "alerts.test.yml");
    writeFileSync(path, stringify({ rule_files: [rulesPath], evaluation_interval: "1m", tests }));
    expect(promtool("test", "rules", path)).toBe("ok");
  });

  it("the rules, and each query of the dashboard, are what Prometheus takes", () => {
    const dashboard = JSON.parse(readFileSync(dashboardPath, "utf8")) as {
      readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
    };
    const queries = dashboard.panels
      .flatMap(({ targets }) => targets.map(({ expr }) => expr))
      .map((expr) => expr.replaceAll("$__rate_interval", "5m").replaceAll("$server", ".*"));
    expect(queries.length).toBeGreaterThan(5);
    const recorded = queries.map((expr, index) => ({ record: `panel:${index}`, expr }));
    const path = join(folder, "dashboard.rules.yml");
    writeFileSync(path, stringify({ groups: [{ name: "dashboard", rules: recorded }] }));
    expect([promtool("check", "rules", rulesPath), promtool("check", "rules", path)]).toEqual(["ok", "ok"]);
  });
});

function expected({ labels, annotations }: Rule, fires: Case["fires"]): object[] {
  return fires.map((own) => ({
    exp_labels: { ...labels, ...own },
    exp_annotations: Object.fromEntries(
      Object.entries(annotations).map(([name, text]) => [
        name,
        text.replace(/\{\{ \$labels\.(\w+) \}\}/g, (_, label: string) => own[label] ?? ""),
      ]),
    ),
  }));
}

function promtool(...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync("promtool", args, { encoding: "utf8" });
  return status === 0 ? "ok" : `${stdout}${stderr}`;
}
