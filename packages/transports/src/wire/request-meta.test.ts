import { SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/client";
import { expect, it } from "vitest";
import { knownRevisions } from "./request-meta.ts";

it("names the revisions that the SDK's client negotiates, and the modern one before them", () => {
  expect(knownRevisions).toEqual(["2026-07-28", ...SUPPORTED_PROTOCOL_VERSIONS]);
});
