import { expect, it } from "vitest";
import { unknownServerError } from "./unknown-tool-error.ts";

it("is an unknown_server about the id that was asked for", () => {
  const error = unknownServerError("nobody", ["github", "files"]);
  expect(error).toMatchObject({ code: "unknown_server", outcome: "not-sent", serverId: "nobody", details: {} });
  expect(error.rawMessage).toBe('server "nobody" is not registered');
});

it.each(["githb", "GitHub", "git-hub", "gihtub"])("suggests the server that %s may mean", (id) => {
  const error = unknownServerError(id, ["files", "github"]);
  expect(error.rawMessage).toBe(`server "${id}" is not registered; did you mean "github"?`);
  expect(error.details).toEqual({ suggestions: ["github"] });
});
