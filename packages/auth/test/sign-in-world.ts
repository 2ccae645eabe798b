import { expect } from "vitest";
import { useVirtualClock } from "../../provider/test/simulation/virtual-clock.ts";
import { createOAuth } from "../src/create-oauth.ts";
import type {
  OAuthOptions,
  PromptAnswer,
  PromptRequest,
  RedirectExpectation,
  RedirectReceiver,
} from "../src/oauth-options.ts";
import { createMemoryCredentials } from "../src/store/create-memory-credentials.ts";
import { createFakeServers } from "./fake-servers.ts";

/** Listens for users, without a port. */
export interface FakeReceiver extends RedirectReceiver {
  readonly expected: RedirectExpectation[];
  readonly ends: (string | undefined)[];
  /** Has a user come back to the latest listener. */
  comeBack(url: URL): void;
  /** Ports that are to be had, first to last; then `4000`. */
  readonly ports: number[];
}

/** Makes one. */
export function createReceiver(): FakeReceiver {
  const expected: RedirectExpectation[] = [];
  const ends: (string | undefined)[] = [];
  const ports: number[] = [];
  let come: (url: URL) => void = () => {};
  return {
    expected,
    ends,
    ports,
    comeBack: (url) => come(url),
    async listen(expectation) {
      expected.push(expectation);
      const answer = new Promise<URL>((resolve) => (come = resolve));
      return {
        redirectUri: `http://127.0.0.1:${ports.shift() ?? 4000}/callback`,
        receive: () => answer,
        async close(end) {
          ends.push(end);
        },
      };
    },
  };
}

/** What does not settle. */
export const never = <T>(): Promise<T> => new Promise(() => {});

/** An OAuth of a host whose user agrees to everything, and the servers around it. */
export function createSignInWorld(options: Partial<OAuthOptions> = {}, servers = createFakeServers()) {
  const clock = useVirtualClock();
  const store = createMemoryCredentials();
  const receiver = createReceiver();
  const shown: PromptRequest[] = [];
  const agree = async (request: PromptRequest): Promise<PromptAnswer> => {
    shown.push(request);
    receiver.comeBack(servers.visit(request.url));
    return "completed";
  };
  const all: OAuthOptions = { store, redirect: receiver, prompt: agree, fetch: servers.fetch, ...options };
  const hang = (request: PromptRequest): Promise<PromptAnswer> => (shown.push(request), never());
  /** The same with a user who does nothing. */
  const hanging = createOAuth({ ...all, prompt: hang });
  return { clock, store, servers, receiver, shown, all, oauth: createOAuth(all), hanging };
}

/** Lets all else go on until something is so; time stands still. */
export const until = async (isSo: () => boolean): Promise<void> => {
  for (let turn = 0; turn < 20_000 && !isSo(); turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(isSo()).toBe(true);
};
