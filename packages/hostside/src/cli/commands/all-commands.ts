import type { Declare } from "../program/declare.ts";
import { declareAdd } from "./add.ts";
import { declareAuth } from "./auth.ts";
import { declareCall } from "./call.ts";
import { declareCheck } from "./check.ts";
import { declareComplete, declareCompletion } from "./completion.ts";
import { declareDiff } from "./diff.ts";
import { declareDoctor } from "./doctor.ts";
import { declareGroups } from "./groups.ts";
import { declareHelp } from "./help.ts";
import { declareInit } from "./init.ts";
import { declareList } from "./list.ts";
import { declareLock } from "./lock.ts";
import { declareLogin } from "./login.ts";
import { declareLogout } from "./logout.ts";
import { declareRecord } from "./record.ts";
import { declareRemove } from "./remove.ts";
import { declareRepl } from "./repl.ts";
import { declareSearch } from "./search.ts";
import { declareServe } from "./serve.ts";
import { declareShow } from "./show.ts";
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
  declareServe,
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
  declareLock,
  declareDiff,
  declareCheck,
  declareRecord,
  // More
  declareCompletion,
  declareComplete,
  declareHelp,
];
