export type { components, operations, paths } from "./api.ts";
export type { Client, ClientOptions, StartBody, StartedRun } from "./create-client.ts";
export { createClient, RequestError } from "./create-client.ts";
export type { FollowedEvent, FollowOptions } from "./follow-events.ts";
