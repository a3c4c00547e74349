import type { ChangeOptions } from "../config/live/live-config.ts";
import type { HttpExchange } from "../host/route.ts";
import { badRequest } from "../http/http-refusal.ts";

/** A revision as the header `ETag` has it. */
export function etagOf(revision: number): string {
  return `"${revision}"`;
}

/** The revision that the client has seen. Without `If-Match` any revision is accepted. */
export function readIfMatch({ context }: HttpExchange): ChangeOptions {
  const header = context.req.header("if-match");
  if (header === undefined) return {};
  const [, digits] = /^"(\d{1,15})"$/.exec(header) ?? [];
  if (digits === undefined) throw badRequest('If-Match is an ETag of this server, as in "3"');
  return { ifRevision: Number(digits) };
}
