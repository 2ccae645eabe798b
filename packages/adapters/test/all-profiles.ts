import {
  aiSdk,
  anthropic,
  anthropicStrict,
  geminiJsonSchema,
  geminiParameters,
  openaiChat,
  openaiStrict,
  portable,
} from "@hostside/adapters";

/** One of each set of rules; the other profiles have the rules of one of these. */
export const profiles = [
  openaiChat,
  openaiStrict,
  anthropic,
  anthropicStrict,
  geminiJsonSchema,
  geminiParameters,
  aiSdk,
  portable,
];
