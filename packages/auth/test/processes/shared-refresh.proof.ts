import { consentTo, startAuthorizedServer } from "@hostside/fixtures";
import type { ServerSpec } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { createOAuth } from "../../src/create-oauth.ts";
import type { CredentialStore } from "../../src/store/credential-store.ts";
import { openSharedStore, sharedKinds } from "./open-shared-store.ts";
import { startSharer, type Sharer, type SharerOptions, type SharerReport } from "./run-sharers.ts";
import { keepSignedIn, until, usersOf } from "./shared-world.ts";
import { startStrictServer, type StrictServer } from "./strict-server.ts";

const expiries = 1000;
const processes = 8;
const minutes = 60_000;

describe.each(sharedKinds)("eight processes that share a $kind store", ({ kind, isHere }) => {
  it.skipIf(!isHere)(
    `redeem each refresh token of a real authorization server once through ${expiries} expiries, and nobody is signed out${isHere ? "" : " (there is none on this machine)"}`,
    async () => {
      const users = usersOf(8);
      const server = await startAuthorizedServer({ accessTokenSeconds: 1, runIn: "child" });
      const shared = await openSharedStore(kind);
      try {
        const spec = specOf(server.url);
        await signInAll(shared.store, spec, users);
        const options = { store: shared.place, serverUrl: server.url, users, everyMs: 200 };
        const sharers = await startSharers(processes, options);
        const redeemed = async () =>
          (await server.log()).filter(({ params }) => params["grant_type"] === "refresh_token");
        while ((await redeemed()).length < expiries) await new Promise((resolve) => setTimeout(resolve, 2000));
        const reports = await stopAll(sharers);
        const requests = await redeemed();
        const tokens = requests.map(({ params }) => params["refresh_token"]);
        expect(new Set(tokens).size).toBe(tokens.length);
        expect(requests.filter(({ status }) => status !== 200)).toEqual([]);
        expect(new Set(reports.flatMap(({ errors }) => errors))).toEqual(new Set());
        say(
          `${kind}: ${requests.length} refresh tokens, ${tokens.length - new Set(tokens).size} of them twice`,
          reports,
        );
      } finally {
        await shared.close();
        await server.close();
      }
    },
    10 * minutes,
  );
});

describe.each(sharedKinds.filter(({ isHere }) => isHere))(
  "processes that are killed over a $kind store",
  ({ kind }) => {
    it.each([
      { what: "that forgives a second use", graceMs: 60_000, kills: 40, aimed: 20 },
      { what: "that forgives none", graceMs: 0, kills: 15, aimed: 3 },
    ])(
      "leave no lock, and everybody else signed in, with an authorization server $what",
      async ({ graceMs, kills, aimed }) => {
        const users = usersOf(8);
        const server = await startStrictServer({ lifeMs: 600, graceMs, answerAfterMs: 40 });
        const shared = await openSharedStore(kind);
        try {
          await keepSignedIn(shared.store, server, users);
          const options = { store: shared.place, serverUrl: server.url, users, everyMs: 60 };
          const { sharers, killed } = await killAtRandom(await startSharers(4, options), {
            options,
            kills,
            aimed,
            server,
          });
          // Whoever is left over goes on: no lock is stuck.
          const left = users.filter((user) => !server.ended.has(user));
          const since = server.redeemed.length;
          const isRenewed = (user: string): boolean =>
            server.redeemed.slice(since).some((one) => one.user === user && one.isGood);
          await until(() => left.every((user) => isRenewed(user) || server.ended.has(user)), 60_000);
          const reports = await stopAll(sharers);
          const lost = Array.from(server.ended);
          say(
            `${kind}, grace ${graceMs} ms: ${killed.length} killed, ${server.redeemed.length} redeemed, ${lost.length} of ${users.length} users signed out`,
            reports,
          );
          // Only whose answer died with a process may have been lost, and only where the server is
          // strict.
          expect(graceMs > 0 ? lost : []).toEqual([]);
          for (const user of lost) {
            const last = server.redeemed.filter((one) => one.user === user && one.isGood).at(-1);
            expect(killed).toContain(last?.by);
          }
          const errors = reports.flatMap((report) => report.errors);
          for (const error of errors.filter((text) => text.includes("auth_required"))) {
            expect(lost).toContain(error.split(":")[0]);
            expect(error).toMatch(/oauth\.begin\("mcp"/);
          }
        } finally {
          await shared.close();
          await server.close();
        }
      },
      5 * minutes,
    );
  },
);

function specOf(url: string): ServerSpec {
  return { id: "mcp", type: "http", url, auth: "oauth" };
}

async function signInAll(store: CredentialStore, spec: ServerSpec, users: readonly string[]): Promise<void> {
  await using oauth = createOAuth({ store, redirect: "http://127.0.0.1:9/callback" });
  for (const principal of users) {
    const { url } = await oauth.begin(spec, { principal });
    await oauth.complete(await consentTo(url, { user: principal }), { principal });
  }
}

function startSharers(count: number, options: SharerOptions): Promise<Sharer[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => startSharer(`process-${index}`, options)));
}

function stopAll(sharers: readonly Sharer[]): Promise<SharerReport[]> {
  return Promise.all(sharers.map((sharer) => sharer.stop()));
}

interface Killing {
  readonly options: SharerOptions;
  readonly kills: number;
  /** How many of them while an answer is on its way. */
  readonly aimed: number;
  readonly server: StrictServer;
}

/** Kills one after the other at random moments, and starts another one for each. */
async function killAtRandom(
  started: readonly Sharer[],
  { options, kills, aimed, server }: Killing,
): Promise<{ readonly sharers: readonly Sharer[]; readonly killed: readonly string[] }> {
  let sharers = [...started];
  const killed: string[] = [];
  for (let count = 0; count < kills; count++) {
    await new Promise((resolve) => setTimeout(resolve, 200 + Math.random() * 1500));
    const seen = server.redeemed.length;
    const isAimed = count % 2 === 0 && count < aimed * 2;
    if (isAimed) await until(() => server.redeemed.length > seen, 30_000);
    const sending = isAimed ? server.redeemed.at(-1)?.by : undefined;
    const victim = sharers.find(({ name }) => name === sending) ?? sharers[0];
    if (victim === undefined) break;
    await victim.kill();
    killed.push(victim.name);
    sharers = [...sharers.filter((one) => one !== victim), await startSharer(`later-${count}`, options)];
  }
  return { sharers, killed };
}

function say(what: string, reports: readonly SharerReport[]): void {
  const sum = (of: (report: SharerReport) => number): number => reports.reduce((total, one) => total + of(one), 0);
  const requests = `${sum(({ sent }) => sent)} requests, ${sum(({ refusedTwice }) => refusedTwice)} refused twice`;
  process.stdout.write(`${what}; ${requests}\n`);
  for (const error of new Set(reports.flatMap(({ errors }) => errors))) process.stdout.write(`  ${error}\n`);
}
