import type { Declare } from "../program/declare.ts";
import { declareGroups } from "./groups.ts";
import { declareAuth } from "./auth.ts";
import { declareCall } from "./call.ts";
import { declareComplete, declareCompletion } from "./completion.ts";
import { declareDoctor } from "./doctor.ts";
import { declareHelp } from "./help.ts";
import { declareList } from "./list.ts";
import { declareRepl } from "./repl.ts";
import { declareLogin } from "./login.ts";
import { declareLogout } from "./logout.ts";
import { declareSearch } from "./search.ts";
import { declareShow } from "./show.ts";
import { declareAdd } from "./add.ts";
import { declareInit } from "./init.ts";
import { declareRemove } from "./remove.ts";
import { declareDisable, declareEnable } from "./switch.ts";
import { declareTrust } from "./trust.ts";

/** Every command, in the order in which help shows them within their group. One line for each. */
export const allCommands: readonly Declare[] = [
  // Look
  declareList,
  declareShow,
  declareSearch,
  declareGroups,
  // Use
  declareCall,
  declareRepl,
  // Set up
  declareInit,
  declareAdd,
  declareRemove,
  declareEnable,
  declareDisable,
  declareTrust,
  // Sign in
  declareLogin,
  declareLogout,
  declareAuth,
  // Examine
  declareDoctor,
  // More
  declareCompletion,
  declareComplete,
  declareHelp,
];
