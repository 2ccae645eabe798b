import type { DoctorFacts } from "../facts.ts";
import type { DoctorFinding } from "../finding.ts";
import { judgeConfig } from "./judge-config.ts";
import { judgeConnection } from "./judge-connection.ts";
import { judgeMachine } from "./judge-machine.ts";
import { judgeProgram } from "./judge-program.ts";
import { judgeProtocol } from "./judge-protocol.ts";
import { judgeSpeed } from "./judge-speed.ts";
import { judgeSum, judgeTools } from "./judge-tools.ts";

/**
 * Makes findings of facts: the machine first, then the configuration, then each server from its
 * program to its tools. Pure.
 */
export function judgeAll({ machine, config, servers, now }: DoctorFacts): readonly DoctorFinding[] {
  const faulty = new Set(config.problems.flatMap(({ severity, server }) => (severity === "error" ? [server] : [])));
  return [
    ...judgeMachine(machine, servers),
    ...judgeConfig(config, servers),
    ...servers.flatMap((server) => [
      ...judgeProgram(server, machine),
      ...judgeConnection(server, { now, isExplained: faulty.has(server.id) }),
      ...judgeProtocol(server),
      ...judgeTools(server),
      ...judgeSpeed(server),
    ]),
    ...judgeSum(servers),
  ];
}
