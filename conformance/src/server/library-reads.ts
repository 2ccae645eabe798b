import type { JsonObject } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import { isUri } from "./content-form.ts";
import type { ListName, RawListing } from "./raw-listing.ts";
import type { Answer } from "./raw-session.ts";
import type { ReadySession } from "./ready-session.ts";

/** The first resources and prompts of the lists, each asked for once. */
export interface LibraryReads {
  /** On this session, which served nothing else. */
  readonly ready: ReadySession;
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

/** Reads the first five resources, and gets the first five prompts, on a session of their own. */
export async function readLibrary(target: {
  listing(name: ListName): Promise<RawListing>;
  openReady(): Promise<ReadySession>;
}): Promise<LibraryReads> {
  const [resources, prompts] = await Promise.all([target.listing("resources"), target.listing("prompts")]);
  const ready = await target.openReady();
  const ask = async (method: string, name: string, params: JsonObject): Promise<LibraryRead> => ({
    name,
    answer: await ready.request(method, params),
    isMadeUp: params["arguments"] !== undefined,
  });
  return {
    ready,
    // What is no URI is a finding of its own, and can hardly be read.
    resources: await Promise.all(
      textsOf(
        resources.items.filter(({ uri }) => isUri(uri)),
        "uri",
      ).map(([uri]) => ask("resources/read", uri, { uri })),
    ),
    prompts: await Promise.all(
      textsOf(prompts.items, "name").map(([name, prompt]) => {
        const required = argumentsOf(prompt).filter((argument) => argument["required"] === true);
        const values = Object.fromEntries(
          required.map(({ name: argument }) => [typeof argument === "string" ? argument : "", "x"]),
        );
        return ask("prompts/get", name, required.length === 0 ? { name } : { name, arguments: values });
      }),
    ),
  };
}

/** The declared arguments of a prompt that are objects. */
export function argumentsOf(prompt: JsonObject): readonly JsonObject[] {
  const declared = prompt["arguments"];
  return Array.isArray(declared) ? declared.filter(isJsonObject) : [];
}

/** The first entries whose `key` is a text, behind it. */
function textsOf(items: readonly JsonObject[], key: string): readonly (readonly [text: string, item: JsonObject])[] {
  return items
    .flatMap((item) => {
      const text = item[key];
      return typeof text === "string" ? [[text, item] as const] : [];
    })
    .slice(0, mostRead);
}
