// For products: who decides about the servers of a project's files.
export { createTrust } from "@hostside/config/node";
export type { TrustQuestion } from "@hostside/config";
