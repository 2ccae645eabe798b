import { createHost, type HostTelemetry, type Host, type HostOptions } from "hostside";
import { createPolicy, type PolicyEvent } from "@hostside/policy";
import type { OAuth } from "@hostside/auth";
import type { Connector } from "@hostside/core";
import type { Results } from "@hostside/results";

// Compiles only while each callback of createHost() has the types of its parameters without an
// annotation.
export async function open(): Promise<Host> {
  return createHost({
    config: {
      allow: (serverId) => serverId.startsWith("a"),
      revise: (server, config) => (config.problems.length > 0 ? undefined : server),
      inputs: async (question) => question.description ?? "",
    },
    policy: {
      onEvent: (event) => [event.type.toUpperCase(), event.at.toFixed()].length,
      approval: {
        mode: "all",
        handler: async (question) => (question.hint.endsWith("?") ? "once" : "no"),
      },
      redact: { values: (context) => [context?.principal ?? ""] },
      cache: {},
    },
    allowTool: (definition, server) => (definition.name === server?.id ? "hide" : "offer"),
    auth: {
      clients: (server) => (server.principal === undefined ? undefined : { flow: "authorization_code" }),
      prompt: async (request) => (request.url.href === "" ? "cancelled" : "completed"),
      fetch: async (url, init) => fetch(url, { signal: init?.signal ?? null }),
    },
    results: {
      onDiagnostic: (diagnostic) => diagnostic.message.length,
      store: { get: async (key) => key.length, set: async (key) => key, delete: async (key) => key },
    },
    connector: { headersFor: (spec, { toolName = "" }) => ({ [spec.id]: toolName }) },
    provider: {
      requestInterceptors: [async (call, next) => next(call)],
      description: (definition) => definition.description ?? "",
    },
    toolbox: {
      interceptors: [async (call, next) => next({ ...call, args: { ...call.args } })],
      noteUnready: (group) => group.id,
    },
    resources: { allowedUris: (uri) => uri.startsWith("file:") },
    onElicit: async (request, signal) => ({ action: request.message === "" || signal.aborted ? "decline" : "cancel" }),
    onDiagnostic: (diagnostic) => [diagnostic.kind, diagnostic.message].length,
    tools: [
      {
        definition: { name: "now", description: "The time.", inputSchema: { type: "object" } },
        run: (args, context) => (context.signal?.aborted === true ? "aborted" : JSON.stringify(args)),
      },
    ],
    state: {
      store: { get: async (key) => key.length, set: async (key) => key, delete: async (key) => key },
      lock: { withLock: (key, ms, work) => work(AbortSignal.timeout(ms + key.length)) },
      notices: {
        publish: async (topic) => void topic.length,
        subscribe: (topic, heard) => Object.assign(() => heard(), { [Symbol.dispose]: () => void topic.length }),
      },
    },
  });
}

export async function openWithCredentials(): Promise<Host> {
  return createHost({ auth: (server, request) => void [server.id, request.interactive] });
}

// What is ready-made, and options in a variable, are taken as before.
export function readyMade(parts: {
  oauth: OAuth;
  results: Results;
  connector: Connector;
  telemetry: HostTelemetry;
}): HostOptions {
  const { oauth: auth, ...others } = parts;
  return { auth, ...others, policy: createPolicy({ onEvent: (event: PolicyEvent) => void event }) };
}
