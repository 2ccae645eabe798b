import type { HostOptions } from "hostside";

// Compiles only while entries are typed: each misspelt or misplaced member is an error.
export const right: HostOptions["servers"] = {
  files: { command: "npx", args: ["-y"], env: { A: "b" }, required: true, allow: ["read"], sharing: "principal" },
  docs: { url: "https://example.com", headers: { a: "b" }, timeouts: { callMs: 5 }, approval: "always" },
  old: { type: "sse", url: "https://example.com/sse" },
  here: { type: "memory", serve: (end) => end },
  own: { type: "custom", open: ({ serverId }) => serverId.length },
};

export const wrong: readonly HostOptions["servers"][] = [
  // @ts-expect-error misspelt
  { files: { comand: "npx" } },
  // @ts-expect-error misspelt beside what is right
  { files: { command: "npx", arg: ["-y"] } },
  // @ts-expect-error of a server over HTTP
  { files: { command: "npx", headers: { a: "b" } } },
  // @ts-expect-error of a program
  { docs: { url: "https://example.com", args: [] } },
  // @ts-expect-error no object of strings
  { docs: { url: "https://example.com", headers: 5 } },
  // @ts-expect-error no such sharing
  { files: { command: "npx", sharing: "all" } },
  // @ts-expect-error specs were an array
  [{ id: "files", command: "npx" }],
];
