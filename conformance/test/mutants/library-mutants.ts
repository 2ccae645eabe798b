import type { FaultRule, JsonObject, JsonValue } from "@hostside/fixtures";
import { overHttp, overStdio, proceed, respond, result, rule, type Mutant } from "./mutant.ts";

const capabilities = { tools: {}, resources: {}, prompts: {}, completions: {} };
const note = { uri: "note://first", name: "first", mimeType: "text/plain" };
const second = { ...note, uri: "note://second" };
const notes = { uriTemplate: "note://{name}", name: "notes" };
const greet = { name: "greet", arguments: [{ name: "who", required: true }] };
const hello = { role: "user", content: { type: "text", text: "Hello" } };
const invalid = respond({ error: { code: -32_602, message: "Invalid params" } });
const failed = respond({ error: { code: -32_603, message: "Internal error" } });
const unknown = respond({ error: { code: -32_601, message: "Method not found" } });

function listing(method: string, members: JsonObject, where?: FaultRule["where"]): FaultRule {
  return rule(method, where, result(members));
}

const goodLibrary: readonly FaultRule[] = [
  listing("resources/list", { resources: [note] }),
  listing("resources/templates/list", { resourceTemplates: [notes] }),
  listing("prompts/list", { prompts: [greet] }),
  listing("resources/read", { contents: [{ uri: "note://first", text: "Once." }] }, { "params.uri": "note://first" }),
  listing("resources/read", { contents: [{ uri: "note://second", blob: "AAAA" }] }, { "params.uri": "note://second" }),
  rule("resources/read", undefined, respond({ error: { code: -32_002, message: "Resource not found" } })),
  listing("prompts/get", { messages: [hello] }, { "params.name": "greet", "params.arguments.who": "x" }),
  rule("prompts/get", undefined, invalid),
  listing("completion/complete", { completion: { values: ["x"] } }, { "params.ref.name": "greet" }),
  listing("completion/complete", { completion: { values: [] } }, { "params.ref.uri": "note://{name}" }),
  rule("completion/complete", undefined, invalid),
];

/** A server with a resource, a template, a prompt and completions, that is wrong in what `rules` say. */
function library(
  id: string,
  wrong: string,
  {
    fails,
    rules,
    over = overHttp,
    ...more
  }: {
    readonly fails: readonly string[];
    readonly rules: readonly FaultRule[];
    readonly over?: typeof overHttp;
    readonly capabilities?: JsonObject;
  },
): Mutant {
  return over(id, wrong, { capabilities, ...more, rules: [...rules, ...goodLibrary], fails });
}

function resources(...listed: readonly JsonValue[]): readonly FaultRule[] {
  return [listing("resources/list", { resources: listed })];
}

function contents(...read: readonly JsonValue[]): readonly FaultRule[] {
  return [listing("resources/read", { contents: read }, { "params.uri": "note://first" })];
}

function messages(value: JsonValue): readonly FaultRule[] {
  return [listing("prompts/get", { messages: value }, { "params.arguments.who": "x" })];
}

function values(completion: JsonObject): readonly FaultRule[] {
  return [listing("completion/complete", { completion }, { "params.ref.name": "greet" })];
}

function announcing(area: string): readonly FaultRule[] {
  const changed = { type: "send", message: { method: `notifications/${area}/list_changed` } } as const;
  const good = goodLibrary.find(({ on }) => on === `${area}/list`)?.do ?? [proceed];
  return [rule(`${area}/list`, undefined, ...good, changed)];
}

/** A server with resources, prompts and completions that nothing is wrong with. */
export const goodLibraryServer: Mutant = library("library", "", { rules: [], fails: [] });

/** Servers whose resources, prompts or completions are wrong. */
export const libraryMutants: readonly Mutant[] = [
  library("resources-missing", "declares resources and does not list them", {
    rules: [rule("resources/list", undefined, unknown)],
    fails: ["resources/list"],
  }),
  library("resources-undeclared", "lists resources that it does not declare", {
    capabilities: { tools: {}, prompts: {}, completions: {} },
    rules: [],
    fails: ["resources/capability-honest"],
  }),
  library("resources-circle", "has two pages of resources that lead to each other", {
    rules: [
      listing("resources/list", { resources: [note], nextCursor: "2" }, { "params.cursor": null }),
      listing("resources/list", { resources: [second], nextCursor: "1" }, { "params.cursor": "2" }),
      listing("resources/list", { resources: [note], nextCursor: "2" }, { "params.cursor": "1" }),
      rule("resources/list", undefined, invalid),
    ],
    fails: ["resources/pagination-ends"],
  }),
  library("resources-any-cursor", "takes any cursor of resources for the last page", {
    rules: [
      listing("resources/list", { resources: [note], nextCursor: "2" }, { "params.cursor": null }),
      ...resources(second),
    ],
    fails: ["resources/unknown-cursor"],
  }),
  library("templates-cursor-null", "ends its templates with the cursor null", {
    rules: [listing("resources/templates/list", { resourceTemplates: [notes], nextCursor: null })],
    fails: ["resources/cursor-form"],
  }),
  library("resources-announced", "announces a change of resources after each listing", {
    over: overStdio,
    capabilities: { ...capabilities, resources: { listChanged: true } },
    rules: announcing("resources"),
    fails: ["resources/list-changed-honest"],
  }),
  library("resource-without-scheme", "lists a path in place of a URI", {
    rules: [
      ...resources({ ...note, uri: "notes/first.txt" }),
      listing(
        "resources/read",
        { contents: [{ uri: "note://first", text: "Once." }] },
        { "params.uri": "notes/first.txt" },
      ),
    ],
    fails: ["resources/entries"],
  }),
  library("resource-without-name", "lists a resource without a name", {
    rules: resources({ uri: "note://first" }),
    fails: ["resources/entries"],
  }),
  library("resource-twice", "lists a resource twice", {
    rules: resources(note, note),
    fails: ["resources/uri-unique"],
  }),
  library("template-open-brace", "has a URI template with an open brace", {
    rules: [listing("resources/templates/list", { resourceTemplates: [{ ...notes, uriTemplate: "note://{name" }] })],
    fails: ["resources/templates"],
  }),
  library("contents-as-text", "answers resources/read with a text in place of contents", {
    rules: [listing("resources/read", { contents: "Once." }, { "params.uri": "note://first" })],
    fails: ["resources/contents"],
  }),
  library("contents-without-uri", "reads a resource without its URI", {
    rules: contents({ text: "Once." }),
    fails: ["resources/contents"],
  }),
  library("contents-empty", "reads a resource with neither text nor blob", {
    rules: contents({ uri: "note://first" }),
    fails: ["resources/contents"],
  }),
  library("blob-not-base64", "reads a blob that is no base64", {
    rules: contents({ uri: "note://first", blob: "Once upon a time." }),
    fails: ["resources/contents"],
  }),
  library("media-type-odd", "calls the media type of a resource by the ending of its file", {
    rules: resources({ ...note, mimeType: "txt" }),
    fails: ["resources/media-types"],
  }),
  library("resource-unreadable", "lists a resource that cannot be read", {
    rules: [
      rule("resources/read", { "params.uri": "note://gone" }, failed),
      ...resources(note, { ...note, uri: "note://gone" }),
    ],
    fails: ["resources/read-listed"],
  }),
  library("resource-unknown-empty", "reads a resource that does not exist as empty", {
    rules: [listing("resources/read", { contents: [] }, { "params.uri": "hostside:no-such-resource" })],
    fails: ["resources/unknown"],
  }),
  library("prompts-no-array", "lists its prompts as an object", {
    rules: [listing("prompts/list", { prompts: { greet } })],
    fails: ["prompts/list"],
  }),
  library("prompts-undeclared", "lists prompts that it does not declare", {
    capabilities: { tools: {}, resources: {}, completions: {} },
    rules: [],
    fails: ["prompts/capability-honest"],
  }),
  library("prompts-circle", "answers every cursor of prompts with the first page and a new cursor", {
    rules: [
      listing("prompts/list", { prompts: [greet], nextCursor: "2" }, { "params.cursor": null }),
      ...["2", "3", "4", "5"].map((cursor) =>
        listing(
          "prompts/list",
          { prompts: [greet], nextCursor: String(Number(cursor) + 1) },
          { "params.cursor": cursor },
        ),
      ),
      rule("prompts/list", undefined, invalid),
    ],
    fails: ["prompts/pagination-ends"],
  }),
  library("prompts-any-cursor", "takes any cursor of prompts for the last page", {
    rules: [
      listing("prompts/list", { prompts: [greet], nextCursor: "2" }, { "params.cursor": null }),
      listing("prompts/list", { prompts: [] }),
    ],
    fails: ["prompts/unknown-cursor"],
  }),
  library("prompts-cursor-empty", "ends its prompts with an empty cursor", {
    rules: [
      rule("prompts/list", { "params.cursor": "" }, invalid),
      listing("prompts/list", { prompts: [greet], nextCursor: 0 }),
    ],
    fails: ["prompts/cursor-form"],
  }),
  library("prompts-announced", "announces a change of prompts after each listing", {
    over: overStdio,
    capabilities: { ...capabilities, prompts: { listChanged: true } },
    rules: announcing("prompts"),
    fails: ["prompts/list-changed-honest"],
  }),
  library("prompt-with-schema", "gives the arguments of a prompt as a schema", {
    rules: [
      listing("prompts/list", { prompts: [{ name: "greet", arguments: { type: "object" } }] }),
      listing("prompts/get", { messages: [hello] }, { "params.name": "greet" }),
    ],
    fails: ["prompts/entries"],
  }),
  library("prompt-twice", "lists a prompt twice", {
    rules: [listing("prompts/list", { prompts: [greet, greet] })],
    fails: ["prompts/name-unique"],
  }),
  library("message-of-text", "gives a text in place of a block of content", {
    rules: messages([{ role: "user", content: "Hello" }]),
    fails: ["prompts/messages"],
  }),
  library("message-of-system", "gives a message the role system", {
    rules: messages([{ ...hello, role: "system" }]),
    fails: ["prompts/messages"],
  }),
  library("message-image-url", "gives an image in a message as a data: URL", {
    rules: messages([
      { role: "user", content: { type: "image", data: "data:image/png;base64,AAAA", mimeType: "image/png" } },
    ]),
    fails: ["prompts/messages"],
  }),
  library("prompt-fails", "lists a prompt that cannot be got", {
    rules: [
      listing("prompts/list", { prompts: [greet, { name: "fails" }] }),
      rule("prompts/get", { "params.name": "fails" }, failed),
    ],
    fails: ["prompts/get-listed"],
  }),
  library("prompt-fills-gaps", "fills a prompt in without its required argument", {
    rules: [listing("prompts/get", { messages: [hello] }, { "params.name": "greet" })],
    fails: ["prompts/missing-arguments"],
  }),
  library("prompt-unknown-500", "answers an unknown prompt with -32603", {
    rules: [rule("prompts/get", { "params.name": "hostside-no-such-prompt" }, failed)],
    fails: ["prompts/unknown"],
  }),
  library("completion-missing", "declares completions and does not complete", {
    rules: [rule("completion/complete", { "params.ref.name": "greet" }, unknown)],
    fails: ["completion/values"],
  }),
  library("completion-of-numbers", "completes with numbers", {
    rules: values({ values: [1, 2] }),
    fails: ["completion/values"],
  }),
  library("completion-many", "completes with 150 values", {
    rules: values({ values: Array.from({ length: 150 }, (_, n) => `value ${n}`) }),
    fails: ["completion/values"],
  }),
  library("completion-undeclared", "completes without declaring that it does", {
    capabilities: { tools: {}, resources: {}, prompts: {} },
    rules: [],
    fails: ["completion/capability-honest"],
  }),
  library("completion-unknown", "completes arguments of prompts that it does not have", {
    rules: [
      listing("completion/complete", { completion: { values: [] } }, { "params.ref.name": "hostside-no-such-prompt" }),
    ],
    fails: ["completion/unknown"],
  }),
];
