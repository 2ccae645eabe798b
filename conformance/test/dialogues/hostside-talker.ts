import { connect } from "@hostside/transports";
import { answer, clientInfo, latch, type StartTalker } from "./talker.ts";

/** Hostside's own client, through its public entry. */
export const startHostside: StartTalker = async ({ address, era, answersQuestions }) => {
  const { type, ...where } = address;
  const changed = latch();
  const connection = await connect(
    // `where` has the members that go with `type`.
    { id: "peer", era, type, ...where } as never,
    { clientInfo, onToolsChanged: changed.open, ...(answersQuestions && { onElicit: async () => answer }) },
  );
  return {
    listTools: async () => (await connection.listTools()).tools.map(({ name }) => name),
    callTool: (name, args, how) => connection.callTool(name, args, how),
    request: (method, params) => connection.request(method, params),
    toolsChanged: () => changed.opened,
    close: () => connection.close(),
  };
};
