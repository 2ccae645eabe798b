// Contracts as test suites, for those who implement a part of Hostside themselves. Call them at the
// top of a Vitest file.
export { describeNamingContract } from "./naming-contract.ts";
export { describeProviderContract, type ProviderSubject } from "./provider-contract.ts";
export { describeTransportContract, type TransportSubject } from "./transport-contract.ts";
