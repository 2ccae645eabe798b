// For products: a state that replicas share, over Postgres.
export { createPostgresState, postgresTables } from "@hostside/cluster/postgres";
export type { SharedState } from "@hostside/cluster/postgres";
