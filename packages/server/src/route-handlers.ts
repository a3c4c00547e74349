import type { Server } from "./create-server.ts";

/** A function for each method, as route files of Next and others export them. */
export type RouteHandlers = Readonly<
  Record<"GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS", (request: Request) => Promise<Response>>
>;

/**
 * Makes the exports of a route file: `export const { GET, POST, … } = routeHandlers(server, "/agents")`. `path` is where the file
 * is mounted; nothing for the root.
 */
export function routeHandlers(server: Server, path: string = ""): RouteHandlers {
  const answer = (request: Request): Promise<Response> => server.fetch(below(path, request));
  return { GET: answer, HEAD: answer, POST: answer, PUT: answer, PATCH: answer, DELETE: answer, OPTIONS: answer };
}

/** The same request, addressed as the server knows it. */
function below(path: string, request: Request): Request {
  const url = new URL(request.url);
  if (path === "" || !`${url.pathname}/`.startsWith(`${path}/`)) return request;
  url.pathname = url.pathname.slice(path.length) || "/";
  return new Request(url, request);
}
