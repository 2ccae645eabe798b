import { HostsideError, type Diagnostic } from "@hostside/core";
import { createHost } from "hostside";
import { expect, it } from "vitest";
import { createTellingConnector } from "./telling-connector.ts";

it("lists the servers as the connections of each user have them", async () => {
  const connector = createTellingConnector({
    refuse: ({ id: serverId }, principal) =>
      serverId === "mail" && principal !== "ann"
        ? new HostsideError("nobody is signed in", { code: "auth_required", serverId })
        : undefined,
  });
  await using host = await createHost({
    connector,
    servers: { all: { command: "all", sharing: "shared" }, mail: { url: "https://mail.example/", auth: "oauth" } },
    pool: {},
  });
  const [ann, bob] = await Promise.all(["ann", "bob"].map((principal) => host.conversation({ principal })));
  expect(await ann?.statuses()).toMatchObject([
    { id: "all", state: "ready" },
    { id: "mail", state: "ready" },
  ]);
  expect(await bob?.statuses()).toMatchObject([
    { id: "all", state: "ready" },
    { id: "mail", state: "needs-auth", error: { code: "auth_required" } },
  ]);
  await bob?.close();
  await expect(bob?.statuses()).rejects.toMatchObject({ code: "closed" });
});

it("reports a server that cannot be connected to once for each reason, and none that wants a sign-in", async () => {
  const diagnostics: Diagnostic[] = [];
  let reason: string | undefined = "no such host";
  const connector = createTellingConnector({
    refuse: ({ id: serverId }) => {
      if (serverId === "mail") return new HostsideError("nobody is signed in", { code: "auth_required", serverId });
      return reason === undefined ? undefined : new HostsideError(reason, { code: "connect_timeout", serverId });
    },
  });
  await using host = await createHost({
    connector,
    servers: { down: { command: "down" }, mail: { url: "https://mail.example/", auth: "oauth" } },
    onDiagnostic: (one) => diagnostics.push(one),
  });
  const failures = (): readonly Diagnostic[] => diagnostics.filter(({ kind }) => kind === "server-failed");
  const restart = (): Promise<void> => host.servers.restart("down").catch(() => undefined);
  const first = { kind: "server-failed", serverId: "down", message: "no such host" };
  expect(failures()).toEqual([first]);
  await restart();
  expect(failures()).toEqual([first]);
  reason = "refused";
  await restart();
  expect(failures()).toEqual([first, { ...first, message: "refused" }]);
  reason = undefined;
  await restart();
  reason = "refused";
  await restart();
  expect(failures()).toHaveLength(3);
});
