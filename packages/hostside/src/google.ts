// For products: tools for Gemini through Google's SDK.
export { createGoogleTools } from "@hostside/adapters/google";
