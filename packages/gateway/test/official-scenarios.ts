/** What does not come off of a scenario, and why. */
export interface Unmet {
  readonly scenario: string;
  /**
   * The checks that are not a success. Absent: those of a scenario that does not apply, whichever.
   */
  readonly checks?: readonly string[];
  readonly reason: string;
}

/** What the gateway is to make of the scenarios that the official suite runs of a revision. */
export interface ExpectedScenarios {
  readonly pass: readonly string[];
  readonly unmet: readonly Unmet[];
}

const inBoth = [
  "completion-complete",
  "dns-rebinding-protection",
  "json-schema-2020-12",
  "prompts-get-embedded-resource",
  "prompts-get-simple",
  "prompts-get-with-args",
  "prompts-get-with-image",
  "prompts-list",
  "resources-list",
  "resources-read-binary",
  "resources-read-text",
  "resources-templates-read",
  "server-sse-multiple-streams",
  "tools-call-audio",
  "tools-call-embedded-resource",
  "tools-call-error",
  "tools-call-image",
  "tools-call-mixed-content",
  "tools-call-simple-text",
  "tools-call-with-progress",
  "tools-list",
];

const noSampling = "a server's sampling and its wish for roots are not handed on: neither is declared to servers";
const ownKeys =
  "the keys of questions are the gateway's own, as are those of a host's policy, which may ask beside the server";

const noTasks = "the gateway has no tasks, and declares none";
const taskScenarios = [
  "tasks-capability-negotiation",
  "tasks-dispatch-and-envelope",
  "tasks-lifecycle",
  "tasks-mrtr-composition",
  "tasks-mrtr-input",
  "tasks-request-headers",
  "tasks-request-state-removal",
  "tasks-required-task-error",
  "tasks-status-notifications",
  "tasks-wire-fields",
];

/** Each scenario of each revision, by name. */
export const expectedScenarios: ReadonlyMap<string, ExpectedScenarios> = new Map([
  [
    "2025-11-25",
    {
      pass: [
        ...inBoth,
        "elicitation-sep1034-defaults",
        "elicitation-sep1330-enums",
        "logging-set-level",
        "ping",
        "resources-subscribe",
        "resources-unsubscribe",
        "server-initialize",
        "server-session-lifecycle",
        "tools-call-elicitation",
        "tools-call-with-logging",
      ],
      unmet: [
        { scenario: "tools-call-sampling", checks: ["tools-call-sampling"], reason: noSampling },
        {
          scenario: "server-sse-polling",
          checks: [],
          reason: "streams that are resumed are not offered, and the suite finds no such stream to judge",
        },
      ],
    },
  ],
  [
    "2026-07-28",
    {
      pass: [
        ...inBoth,
        "caching",
        "http-custom-header-server-validation",
        "http-header-validation",
        "input-required-result-missing-input-response",
        "input-required-result-multi-round",
        "input-required-result-non-tool-request",
        "input-required-result-request-state",
        "input-required-result-result-type",
        "input-required-result-tampered-state",
        "input-required-result-unsupported-methods",
        "input-required-result-validate-input",
        "sep-2164-resource-not-found",
      ],
      unmet: [
        {
          scenario: "server-stateless",
          checks: ["sep-2575-missing-capability-http-400", "sep-2575-server-rejects-undeclared-capability"],
          reason: `${noSampling}, so that a client could declare it in vain`,
        },
        {
          scenario: "input-required-result-basic-elicitation",
          checks: ["sep-2322-elicitation-incomplete"],
          reason: `${ownKeys}, and the scenario wants one by name`,
        },
        {
          scenario: "input-required-result-ignore-extra-params",
          checks: ["sep-2322-ignore-unexpected-params"],
          reason: "answers without requestState answer nothing: the question is asked again",
        },
        {
          scenario: "input-required-result-basic-sampling",
          checks: ["sep-2322-sampling-incomplete"],
          reason: noSampling,
        },
        {
          scenario: "input-required-result-basic-list-roots",
          checks: ["sep-2322-list-roots-incomplete"],
          reason: noSampling,
        },
        {
          scenario: "input-required-result-multiple-input-requests",
          checks: ["sep-2322-multiple-inputs-incomplete"],
          reason: noSampling,
        },
        {
          scenario: "input-required-result-capability-check",
          checks: ["sep-2322-respect-client-capabilities"],
          reason: `${noSampling}, and the scenario's client declares nothing else`,
        },
        ...taskScenarios.map((scenario) => ({ scenario, reason: noTasks })),
      ],
    },
  ],
]);
