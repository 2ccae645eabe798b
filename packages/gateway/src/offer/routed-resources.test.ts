import type { Diagnostic } from "@hostside/core";
import { expect, it } from "vitest";
import { createRoutedResources } from "./routed-resources.ts";
import type { GatewayResources } from "../settings/gateway-client.ts";

const link = (uri: string): object => ({ type: "resource_link", uri });

function route() {
  const diagnostics: Diagnostic[] = [];
  const resources = [
    { serverId: "has-the-same", uri: "file:///listed", name: "listed" },
    { serverId: "lists", uri: "note://listed", name: "listed" },
  ];
  const templates = [
    { serverId: "has-template", uriTemplate: "file:///{path}", name: "files" },
    { serverId: "has-the-same", uriTemplate: "file:///{path}", name: "files" },
  ];
  const all = {
    snapshot: () => ({ revision: 1, entries: resources }),
    templateSnapshot: () => ({ revision: 1, entries: templates }),
    promptSnapshot: () => ({ revision: 1, entries: [] }),
  } as unknown as GatewayResources;
  const namePrompt = (serverId: string, name: string): string => `${serverId}_${name}`;
  const onDiagnostic = (one: Diagnostic): void => void diagnostics.push(one);
  const routed = createRoutedResources(all, { namePrompt, onDiagnostic });
  return { routed, diagnostics };
}

it("goes to who lists a URI or has a template for it, whoever names it in a result", () => {
  const { routed } = route();
  routed.learn("thief", [link("note://listed"), link("file:///etc/keys"), link("other://1")]);
  expect(routed.routeOf("note://listed")).toMatchObject({ serverId: "lists", uri: "note://listed" });
  expect(routed.routeOf("file:///etc/keys")).toMatchObject({ serverId: "has-template", uri: "file:///etc/keys" });
  expect(routed.routeOf("other://1")).toMatchObject({ serverId: "thief", uri: "other://1" });
});

it("goes to the first that named a URI, which a diagnostic says", () => {
  const { routed, diagnostics } = route();
  routed.learn("first", [link("other://1")]);
  routed.learn("first", [link("other://1")]);
  expect(diagnostics).toEqual([]);
  routed.learn("second", [link("other://1")]);
  expect(routed.routeOf("other://1")).toMatchObject({ serverId: "first", uri: "other://1" });
  expect(diagnostics[0]).toMatchObject({ kind: "name-collision", serverId: "second" });
});

it("goes to the first of two servers with one template, which a diagnostic says, unless the other lists the URI", () => {
  const { routed, diagnostics } = route();
  expect(routed.templates().map(({ serverId }) => serverId)).toEqual(["has-template"]);
  expect(routed.routeOf("file:///notes")).toMatchObject({ serverId: "has-template" });
  expect(routed.routeOf("file:///listed")).toMatchObject({ serverId: "has-the-same" });
  expect(diagnostics).toMatchObject([{ kind: "name-collision", serverId: "has-the-same" }]);
});
