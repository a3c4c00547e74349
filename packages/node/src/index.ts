export { createEgress } from "./egress/create-egress.ts";
export type { NodeEnvOptions } from "./node-env.ts";
export { createNodeEnv } from "./node-env.ts";
