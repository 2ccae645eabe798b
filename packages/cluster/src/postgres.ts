// A state that replicas share, over a Postgres that the product is connected to.
export { createPostgresState } from "./postgres/create-postgres-state.ts";
export type { PostgresStateOptions } from "./postgres/create-postgres-state.ts";
export type { PostgresPool } from "./postgres/connect-postgres.ts";
export { postgresTables } from "./postgres/create-postgres-state.ts";
export type { SharedState } from "./state/shared-state.ts";
