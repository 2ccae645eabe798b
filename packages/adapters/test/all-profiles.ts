import { aiSdk, anthropic, gemini, openai, portable } from "@hostside/adapters";

/** One of each set of rules. */
export const profiles = [openai, anthropic, gemini, aiSdk, portable];
