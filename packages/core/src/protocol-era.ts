/**
 * `legacy` is 2024-11-05 to 2025-11-25: a handshake and a session. `modern` is 2026-07-28:
 * stateless.
 */
export type ProtocolEra = "legacy" | "modern";
