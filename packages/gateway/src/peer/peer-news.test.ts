import type { JsonObject } from "@hostside/core";
import { expect, it } from "vitest";
import type { MessageSink } from "../message/active-request.ts";
import { createPeerNews, type PeerNewsInit } from "./peer-news.ts";
import { useManualClock } from "../../../../test/manual-clock.ts";

function openNews() {
  const clock = useManualClock();
  const init = {
    client: { era: "legacy" },
    conversation: { tools: { onToolsChanged: () => () => {} } },
    requests: { values: () => [] },
    serverOf: () => undefined,
  } as unknown as PeerNewsInit;
  return { clock, news: createPeerNews(init) };
}

function openStream(): MessageSink & { readonly said: unknown[] } {
  const said: unknown[] = [];
  return { said, send: ({ method }: JsonObject) => said.push(method) > 0 };
}

it("says a change once more over the next stream of a session: the one before may have broken unread", () => {
  const { clock, news } = openNews();
  const [first, second, third] = [openStream(), openStream(), openStream()];
  news.setStream(first);
  news.changed("tools");
  clock.advance(50);
  expect(first.said).toEqual(["notifications/tools/list_changed"]);
  news.setStream(first);
  news.setStream(undefined);
  news.setStream(second);
  expect([first.said.length, second.said]).toEqual([1, ["notifications/tools/list_changed"]]);
  news.setStream(third);
  expect(third.said).toEqual(["notifications/tools/list_changed"]);
  news.close();
});

it("says nothing over the next stream where nothing has changed", () => {
  const { news } = openNews();
  news.setStream(openStream());
  news.setStream(undefined);
  const next = openStream();
  news.setStream(next);
  expect(next.said).toEqual([]);
});
