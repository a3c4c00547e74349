import type { Route } from "../host/route.ts";
import { answerDelete, answerGet, answerPost } from "../mcp/answer-http.ts";
import * as schema from "./mcp-routes.schema.ts";

/** Agents as tools of MCP clients, in both eras of the protocol on one path. A call is a run, and so is a task. */
export const mcpRoutes: readonly Route[] = [
  {
    method: "POST",
    path: "/mcp",
    // Each method asks for the scope that it needs.
    scope: ["read", "run"],
    operation: schema.post,
    knowsRepeats: true,
    opensStream: true,
    handle: answerPost,
  },
  {
    method: "GET",
    path: "/mcp",
    scope: ["read", "run"],
    operation: schema.get,
    opensStream: true,
    handle: answerGet,
  },
  { method: "DELETE", path: "/mcp", scope: ["read", "run"], operation: schema.end, handle: answerDelete },
];
