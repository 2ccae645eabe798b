import type { Declare } from "../program/declare.ts";
import { declareHelp } from "./help.ts";
import { declareList } from "./list.ts";

/** Every command, in the order in which help shows them within their group. One line for each. */
export const allCommands: readonly Declare[] = [
  // Look
  declareList,
  // Use
  // Set up
  // Sign in
  // Examine
  // More
  declareHelp,
];
