import type { ToolSetServer } from "./tool-set.ts";

/** `count` tools of the set, spread evenly over it; always the same ones. */
export function sampleTools(servers: readonly ToolSetServer[], count: number): readonly ToolSetServer[] {
  const total = servers.flatMap(({ tools }) => tools).length;
  let index = 0;
  const isChosen = (): boolean => {
    index += 1;
    return Math.floor((index * count) / total) > Math.floor(((index - 1) * count) / total);
  };
  return servers
    .map((server) => ({ ...server, tools: server.tools.filter(isChosen) }))
    .filter(({ tools }) => tools.length > 0);
}
