import type { JsonObject, JsonValue } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import type { Finding } from "../../engine/check.ts";
import { blockProblem, contentsProblem, isMediaType, isUri, isUriTemplate } from "../content-form.ts";
import { isNoAnswer } from "../consented-tools.ts";
import { describeAnswer, excerpt } from "../handshake.ts";
import { argumentsOf, type LibraryRead, type LibraryReads } from "../library-reads.ts";
import { readRawListing } from "../raw-listing.ts";
import type { Answer } from "../raw-session.ts";
import type { ServerTarget } from "../server-target.ts";
import {
  aboutItems,
  conclude,
  declared,
  defineChecks,
  hostAdvice,
  judgeRefusal,
  legacySpec,
  notApplicable,
  notKnown,
  repeatedKeys,
  type CheckInit,
  type ServerCheck,
} from "./define-check.ts";
import { promptListChecks, resourceListChecks } from "./listing-checks.ts";

const missing = "hostside:no-such-resource";

/** Resources and their templates: how they are listed, and what is read. */
export const resourceChecks: readonly ServerCheck[] = [
  ...resourceListChecks,
  ...defineChecks("any", ["resources/list"], {
    "resources/entries": aboutItems("resources", {
      title: "Every resource has a URI and a name",
      level: "MUST",
      rule: "A resource has a uri by RFC 3986 and a name.",
      source: legacySpec("schema#resource", "Schema, Resource"),
      legal: ["objects with a uri that has a scheme and no blanks, and with a name"],
      fix: "Give each resource a URI such as file:///notes/a%20b.txt, with blanks and braces escaped, and a name.",
      problem: ({ uri, name }) => (isUri(uri) ? nameProblem(name) : `uri ${excerpt(uri)}`),
    }),
    "resources/uri-unique": aboutItems("resources", {
      title: "Every resource has a URI of its own",
      level: "SHOULD",
      rule: "The URI is what identifies a resource.",
      source: legacySpec("server/resources#resource", "Resources, resource"),
      legal: ["no two URIs are equal"],
      fix: "List each resource once: hosts keep the first and drop the rest.",
      judge: (items) => repeatedKeys(items, "uri"),
    }),
    "resources/templates": aboutItems("resourceTemplates", {
      title: "Every resource template is a URI template by RFC 6570",
      level: "MUST",
      rule: "A resource template has a uriTemplate by RFC 6570 and a name.",
      source: legacySpec("schema#resourcetemplate", "Schema, ResourceTemplate"),
      legal: ["expressions such as {id} or {+path}, of letters, digits, underscores and dots, that are closed"],
      fix: "Close every brace, and name variables with letters, digits and underscores.",
      problem: ({ uriTemplate, name }) =>
        isUriTemplate(uriTemplate) ? nameProblem(name) : `uriTemplate ${excerpt(uriTemplate)}`,
    }),
    "resources/contents": aboutReads("resources", {
      title: "What is read has a URI, and a text or base64",
      level: "MUST",
      rule: "Contents have a uri and either a text or a blob; binary data is properly encoded.",
      source: legacySpec("server/resources#security-considerations", "Resources, security considerations"),
      legal: ["contents is an array of objects with a uri, and a text or a blob in base64", "an error"],
      fix: "Return { contents: [{ uri, mimeType, text }] }, or blob with Buffer.toString('base64') in place of text.",
      problem: ({ contents }) =>
        Array.isArray(contents)
          ? contents.map(contentsProblem).find((found) => found !== undefined)
          : `contents is ${excerpt(contents)}`,
    }),
    "resources/media-types": {
      title: "Media types are of the form type/subtype",
      level: "HOST",
      rule: "Hosts choose by mimeType how a resource is shown, and model APIs refuse those that are none.",
      source: hostAdvice("media-types"),
      legal: ["no mimeType", "a text such as text/markdown or text/plain; charset=utf-8"],
      fix: "Write the type and the subtype with a slash between them, or leave mimeType out.",
      run: async (target) => {
        const listings = [await target.listing("resources"), await target.listing("resourceTemplates")];
        const { resources } = await target.reads();
        const read = resources.flatMap(({ answer }) => {
          const contents = resultOf(answer)?.["contents"];
          return Array.isArray(contents) ? contents.filter(isJsonObject) : [];
        });
        const typed = [...listings.flatMap(({ items }) => items), ...read].filter(
          ({ mimeType }) => mimeType !== undefined,
        );
        if (typed.length === 0) return notApplicable("no resource has a mimeType");
        const problems = typed.flatMap(({ uri, uriTemplate, mimeType }) =>
          isMediaType(mimeType) ? [] : [`${excerpt(uri ?? uriTemplate)}: mimeType ${excerpt(mimeType)}`],
        );
        return conclude(problems, `${typed.length} media types`);
      },
    },
    "resources/read-listed": aboutListed("resources", {
      title: "A resource that is listed can be read",
      level: "HOST",
      rule: "Hosts show the list to a user or a model, and read what is chosen from it.",
      source: hostAdvice("read-listed"),
      legal: ["a result of resources/read for each of the first five resources"],
      fix: "Find out why reading fails; leave out of the list what cannot be read.",
    }),
    "resources/unknown": {
      title: "Reading a resource that does not exist is refused",
      level: "SHOULD",
      rule: "A resource that does not exist is answered with -32602; before 2026-07-28 with -32002.",
      source: legacySpec("server/resources#error-handling", "Resources, error handling"),
      legal: ["error -32602", "error -32002 before 2026-07-28"],
      fix: "Look the URI up, and answer with the error in place of empty contents: a host cannot tell these from an empty resource.",
      run: declared("resources", async ({ request, handshake }) =>
        judgeRefusal(
          await request("resources/read", { uri: missing }),
          handshake.era === "modern" ? [-32_602] : [-32_602, -32_002],
        ),
      ),
    },
  }),
];

/** Prompts: how they are listed, and what is got. */
export const promptChecks: readonly ServerCheck[] = [
  ...promptListChecks,
  ...defineChecks("any", ["prompts/list"], {
    "prompts/entries": aboutItems("prompts", {
      title: "Every prompt has a name, and so has every argument",
      level: "MUST",
      rule: "A prompt has a name; its arguments are objects with a name, and required is a boolean.",
      source: legacySpec("schema#prompt", "Schema, Prompt"),
      legal: ["objects with a non-empty name; arguments is absent or an array of objects with a name"],
      fix: "List arguments as [{ name, description, required }]: a JSON Schema, as tools have it, is none of it.",
      problem: ({ name, arguments: given = [] }) =>
        Array.isArray(given) && given.every(isArgument) ? nameProblem(name) : `arguments ${excerpt(given)}`,
    }),
    "prompts/name-unique": aboutItems("prompts", {
      title: "Every prompt has a name of its own",
      level: "SHOULD",
      rule: "The name is what identifies a prompt.",
      source: legacySpec("server/prompts#prompt", "Prompts, prompt"),
      legal: ["no two names are equal"],
      fix: "Rename one of them: hosts keep the first and drop the rest.",
      judge: (items) => repeatedKeys(items, "name"),
    }),
    "prompts/messages": aboutReads("prompts", {
      title: "A prompt is an array of messages with a role and one block of content",
      level: "MUST",
      rule: "A message has a role, user or assistant, and one block of content; media are base64 with a media type.",
      source: legacySpec("server/prompts#promptmessage", "Prompts, PromptMessage"),
      legal: ["messages is an array of objects with a role and a content, which is one block", "an error"],
      fix: "Return { messages: [{ role: 'user', content: { type: 'text', text } }] }: content is one object, no array and no text.",
      problem: ({ messages }) =>
        Array.isArray(messages)
          ? messages.map(messageProblem).find((found) => found !== undefined)
          : `messages is ${excerpt(messages)}`,
    }),
    "prompts/get-listed": aboutListed("prompts", {
      title: "A prompt that is listed can be got",
      level: "HOST",
      rule: "Hosts show prompts to the user as commands, and get the one that is chosen.",
      source: hostAdvice("read-listed"),
      legal: [
        "a result of prompts/get for each of the first five prompts",
        "an error, if a prompt has required arguments, whose values are made up, or needs what the kit does not offer",
      ],
      fix: "Find out why prompts/get fails for a name that prompts/list gave.",
    }),
    "prompts/missing-arguments": {
      title: "A prompt without its required arguments is refused with -32602",
      level: "SHOULD",
      rule: "Missing required arguments are answered with error -32602.",
      source: legacySpec("server/prompts#error-handling", "Prompts, error handling"),
      legal: ["error -32602"],
      fix: "Check the arguments before you fill the prompt in, and answer -32602 with what is missing.",
      run: async (target) => {
        const { items } = await target.listing("prompts");
        const prompt = items.find((item) => argumentsOf(item).some(({ required }) => required === true));
        if (prompt === undefined) return notApplicable("no prompt has a required argument");
        return target.lend(async ({ request }) =>
          judgeRefusal(await request("prompts/get", { name: prompt["name"] ?? null }), [-32_602]),
        );
      },
    },
    "prompts/unknown": {
      title: "Getting a prompt that does not exist is refused with -32602",
      level: "SHOULD",
      rule: "An invalid prompt name is answered with error -32602.",
      source: legacySpec("server/prompts#error-handling", "Prompts, error handling"),
      legal: ["error -32602"],
      fix: "Look the name up and answer -32602 with it.",
      run: declared("prompts", async ({ request }) =>
        judgeRefusal(await request("prompts/get", { name: "hostside-no-such-prompt" }), [-32_602]),
      ),
    },
  }),
];

interface ReadJudgement extends Omit<CheckInit, "run"> {
  /** What is wrong with the result of one read, in words. */
  readonly problem: (result: JsonObject) => string | undefined;
}

type ReadName = "resources" | "prompts";

/** Makes a check of a judgement about the results of the reads that were made. */
function aboutReads(name: ReadName, { problem, ...info }: ReadJudgement): CheckInit {
  return {
    ...info,
    run: (target) =>
      judgeReads(target, name, (reads) => {
        const results = reads.flatMap(({ answer, name: of }) => {
          const result = resultOf(answer);
          return result ? [{ of, found: problem(result) }] : [];
        });
        if (results.length === 0)
          return (reads.some(({ answer }) => answer.kind === "silence") ? notKnown : notApplicable)(
            `nothing was read; ${describeAnswer((reads[0] as LibraryRead).answer)}`,
          );
        const problems = results.flatMap(({ of, found }) => (found === undefined ? [] : [`${of}: ${found}`]));
        return conclude(problems, `${results.length} read`);
      }),
  };
}

// What a server says that would ask the user or the model of a host which offers neither.
const wantsCapability = /capabilit|elicitation|sampling|roots/i;

/** Makes a check of whether what is listed can be had. */
function aboutListed(name: ReadName, info: Omit<CheckInit, "run">): CheckInit {
  return {
    ...info,
    run: (target) =>
      judgeReads(target, name, async (reads) => {
        const silent = reads.find(({ answer }) => answer.kind === "silence");
        const refused = reads.filter(({ answer, isMadeUp }) => {
          if (answer.kind === "result" || answer.kind === "silence") return false;
          if (answer.kind === "http") return isNoAnswer(answer);
          return answer.kind !== "error" || !(isMadeUp || wantsCapability.test(describeAnswer(answer)));
        });
        if (refused.length === 0 && silent) return notKnown(`${silent.name}: ${describeAnswer(silent.answer)}`);
        const isStill = refused.length === 0 ? () => true : await relist(target, name);
        const blamed = refused.filter(({ name: of }) => isStill(of));
        const found = conclude(
          blamed.map(({ name: of, answer }) => `${of}: ${describeAnswer(answer)}`),
          `${reads.length} answered`,
        );
        const fix = fixOfRefusal(name, blamed[0]?.answer);
        return found.status === "fail" && fix !== undefined ? { ...found, fix } : found;
      }),
  };
}

/** What to do about an error of the server's own. */
function fixOfRefusal(name: ReadName, answer: Answer | undefined): string | undefined {
  if (answer?.kind !== "error") return undefined;
  const method = name === "prompts" ? "prompts/get" : "resources/read";
  if (answer.code === -32_601) return `Register a handler for ${method}, or do not declare ${name}.`;
  if (answer.code === -32_602 || answer.code === -32_002)
    return `Look what is asked for up in the table that ${name}/list is made of: ${method} does not know what the list gave.`;
  return `Call ${method} with what is named, and look at what its handler throws: the error and stderr have it. Check arguments, files, settings and sign-ins before you use them, and leave out of ${name}/list what cannot be given without.`;
}

/** Lists once more: what went away meanwhile was no lie of the list. */
async function relist(target: ServerTarget, name: ReadName): Promise<(of: string) => boolean> {
  const { items, broken } = await readRawListing(await target.shared(), name);
  const listed = new Set(items.map(({ uri, name: own }) => (name === "resources" ? uri : own)));
  return (of) => broken !== undefined || listed.has(of);
}

async function judgeReads(
  target: ServerTarget,
  name: ReadName,
  judge: (reads: LibraryReads[ReadName]) => Finding | Promise<Finding>,
): Promise<Finding> {
  const { items } = await target.listing(name);
  if (items.length === 0) return notApplicable(`the server lists no ${name}`);
  const reads = (await target.reads())[name];
  return reads.length === 0 ? notApplicable(`no entry of the ${name} can be asked for`) : judge(reads);
}

/** The result of an answer; one that asks for more input is none yet. */
function resultOf(answer: Answer): JsonObject | undefined {
  if (answer.kind !== "result") return undefined;
  const result = isJsonObject(answer.result) ? answer.result : {};
  return (result["resultType"] ?? "complete") === "complete" ? result : undefined;
}

function nameProblem(name: JsonValue | undefined): string | undefined {
  return typeof name === "string" && name !== "" ? undefined : `name ${excerpt(name)}`;
}

function isArgument(argument: JsonValue): boolean {
  if (!isJsonObject(argument) || typeof argument["name"] !== "string") return false;
  return argument["required"] === undefined || typeof argument["required"] === "boolean";
}

function messageProblem(message: JsonValue): string | undefined {
  if (!isJsonObject(message)) return `message ${excerpt(message)}`;
  const { role, content } = message;
  return role === "user" || role === "assistant" ? blockProblem(content) : `a message with role ${excerpt(role)}`;
}
