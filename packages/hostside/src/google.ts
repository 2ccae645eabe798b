// For products: tools for Gemini through Google's SDK.
export { createGoogleTools } from "@hostside/adapters/google";
export type {
  AdapterOptions,
  AnswerOptions,
  CallToApprove,
  GoogleAnswer,
  GoogleOptions,
  GoogleResponse,
  GoogleTools,
  LeftOutTool,
  MediaPlace,
  OwnFunctionsOptions,
  ToolSource,
} from "@hostside/adapters/google";
