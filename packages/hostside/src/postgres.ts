// For products: a state that replicas share, over Postgres.
export { createPostgresState, postgresTables } from "@hostside/pool/postgres";
export type { PostgresPool, PostgresStateOptions, SharedState } from "@hostside/pool/postgres";
