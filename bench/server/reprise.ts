export { createServer } from "../../packages/server/src/index.ts";
export { listen } from "../../packages/server/src/node.ts";
