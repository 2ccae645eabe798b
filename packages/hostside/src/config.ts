// For products: who decides about the servers of a project's files.
export { createTrust } from "@hostside/config";
export type { TrustQuestion } from "@hostside/config";
