import type { JsonObject } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import { isUri } from "./content-form.ts";
import type { ListName, RawListing } from "./raw-listing.ts";
import type { Answer, RawSession } from "./raw-session.ts";
import type { ReadySession } from "./ready-session.ts";

/** The first resources and prompts of the lists, each asked for once. */
export interface LibraryReads {
  /** On these sessions, which served nothing else. */
  readonly sessions: readonly RawSession[];
  readonly resources: readonly LibraryRead[];
  readonly prompts: readonly LibraryRead[];
}

/** An entry of a list, and what was answered when it was asked for. */
export interface LibraryRead {
  /** The URI of the resource, or the name of the prompt. */
  readonly name: string;
  readonly answer: Answer;
  /** `true`: values were made up for the required arguments of the prompt, which may not suit it. */
  readonly isMadeUp: boolean;
}

// Reading changes nothing, but a resource may be large, and a server may list thousands.
const mostRead = 5;

interface LibrarySource {
  listing(name: ListName): Promise<RawListing>;
  openReady(): Promise<ReadySession>;
}

/**
 * Reads the first five resources, and gets the first five prompts, on a session each. What was lost
 * with the process or the connection is asked for again alone, which tells what ended it.
 */
export async function readLibrary(target: LibrarySource): Promise<LibraryReads> {
  const [resources, prompts] = await Promise.all([target.listing("resources"), target.listing("prompts")]);
  // What is no URI is a finding of its own, and can hardly be read.
  const reads = resources.items.flatMap(({ uri }) =>
    isUri(uri) ? [{ name: uri, method: "resources/read", params: { uri } }] : [],
  );
  const gets = prompts.items.flatMap((prompt) => {
    const { name } = prompt;
    if (typeof name !== "string") return [];
    const required = argumentsOf(prompt).filter((argument) => argument["required"] === true);
    const values = required.map(({ name: argument }) => [typeof argument === "string" ? argument : "", "x"]);
    const params = { name, ...(values.length > 0 && { arguments: Object.fromEntries(values) as JsonObject }) };
    return [{ name, method: "prompts/get", params }];
  });
  const [read, got] = [
    await askTogether(target, reads.slice(0, mostRead)),
    await askTogether(target, gets.slice(0, mostRead)),
  ];
  return { sessions: [...read.sessions, ...got.sessions], resources: read.answered, prompts: got.answered };
}

interface LibraryRequest {
  readonly name: string;
  readonly method: string;
  readonly params: JsonObject;
}

async function askTogether(
  target: LibrarySource,
  requests: readonly LibraryRequest[],
): Promise<{ readonly sessions: readonly RawSession[]; readonly answered: readonly LibraryRead[] }> {
  const sessions: RawSession[] = [];
  const open = async (): Promise<ReadySession> => {
    const ready = await target.openReady();
    sessions.push(ready.session);
    return ready;
  };
  if (requests.length === 0) return { sessions, answered: [] };
  const together = await open();
  const answers = await Promise.all(requests.map(({ method, params }) => together.request(method, params)));
  const answered: LibraryRead[] = [];
  for (const [n, { name, method, params }] of requests.entries()) {
    const first = answers[n];
    const answer = first === undefined || first.kind === "gone" ? await (await open()).request(method, params) : first;
    answered.push({ name, answer, isMadeUp: params["arguments"] !== undefined });
  }
  return { sessions, answered };
}

/** The declared arguments of a prompt that are objects. */
export function argumentsOf(prompt: JsonObject): readonly JsonObject[] {
  const declared = prompt["arguments"];
  return Array.isArray(declared) ? declared.filter(isJsonObject) : [];
}
