import type { Check } from "../engine/check.ts";
import { checksOf, hostLevels, type HostLevel, type HostScenario } from "./host-scenario.ts";
import type { HostTarget } from "./host-target.ts";
import { authorizationScenarios, betweenScenarios } from "./scenarios/between.ts";
import { consistentCalls } from "./scenarios/consistent-calls.ts";
import { consistentTools } from "./scenarios/consistent-tools.ts";
import { hostileScenarios, neighbourScenarios } from "./scenarios/hostile.ts";
import { recoverScenarios } from "./scenarios/recover.ts";
import { surviveAnswers } from "./scenarios/survive-answers.ts";
import { surviveLife } from "./scenarios/survive-life.ts";

/** Every scenario, in the order of levels. */
export const hostScenarios: readonly HostScenario[] = [
  ...surviveAnswers,
  ...surviveLife,
  ...recoverScenarios,
  ...consistentTools,
  ...consistentCalls,
  ...hostileScenarios,
  ...neighbourScenarios,
  ...betweenScenarios,
  ...authorizationScenarios,
];

/** Every scenario over every venue that it is played in. */
export const hostChecks: readonly Check<HostTarget>[] = hostScenarios.flatMap(checksOf);

/** The checks of a level, and of those before it. */
export function checksUpTo(level: HostLevel): readonly Check<HostTarget>[] {
  const levels: readonly string[] = hostLevels.slice(0, hostLevels.indexOf(level) + 1);
  return hostChecks.filter(({ id }) => levels.includes(id.split("/", 1)[0] ?? ""));
}
