import type { StaticTool } from "@hostside/discovery";
import type { PolicyOptions } from "@hostside/policy";

/** A tool that does nothing, so that what is measured is the way to it. */
export const tool: StaticTool = {
  definition: {
    name: "bench_echo",
    description: "Gives back its text.",
    inputSchema: {
      type: "object",
      properties: {
        text: { type: "string", maxLength: 1000 },
        count: { type: "integer", minimum: 0 },
        nested: { type: "object", properties: { flag: { type: "boolean" } }, required: ["flag"] },
      },
      required: ["text"],
      additionalProperties: false,
    },
    outputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    effect: "idempotent-write",
  },
  bundle: { id: "bench", title: "Bench", description: "For measuring." },
  run: () => ({ content: [{ type: "text", text: "hello" }], structuredContent: { text: "hello" } }),
};

const rules = {
  allow: ["/bench_*", "github/get_*"],
  requireApproval: ["github/create_*"],
  deny: ["*/delete_*", { labels: "scope:project", effect: "external" }],
} as const satisfies PolicyOptions;
const many = 1_000_000_000;

/** What is measured: each layer alone, and all together. */
export const policies: Readonly<Record<string, PolicyOptions>> = {
  "a policy with nothing in it": {},
  rules,
  approval: { approval: { mode: { tools: "github/*" } } },
  validation: { validation: { input: "strict", output: "strict" } },
  limits: { limits: [{ per: ["principal", "tool"], rate: { calls: many, perMs: 1000 }, concurrency: 1000 }] },
  "breaker and retry": { breaker: {}, retry: { attempts: 3 } },
  redaction: { redact: {} },
  all: {
    ...rules,
    approval: { mode: { tools: "github/*" } },
    validation: { input: "strict", output: "strict" },
    limits: [{ per: ["principal", "tool"], rate: { calls: many, perMs: 1000 }, concurrency: 1000 }],
    breaker: {},
    retry: { attempts: 3 },
    redact: {},
  },
};
