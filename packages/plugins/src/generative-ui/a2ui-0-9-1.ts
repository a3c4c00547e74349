import type { Json, JsonObject } from "@reprise/state";
import { type CatalogRules, isObject, MESSAGE_KINDS, type MessageKind } from "./a2ui-schemas.ts";
import { type Surface, type SurfaceChange, SurfaceProblem } from "./surfaces.ts";

/** The versions that 0.9.1 accepts. Clients of 0.9 know the first one only, so messages are sent with it. */
export const VERSIONS: readonly string[] = ["v0.9", "v0.9.1"];
const [VERSION = ""] = VERSIONS;

/** The rules of a catalog; of the basic one when there is no such catalog. */
type RulesOf = (catalogId: string) => CatalogRules;

/** Reads messages of an agent by the official schemas. A `SurfaceProblem` names the message and what is wrong with it. */
export function decodeMessages(messages: readonly Json[], rulesOf: RulesOf): readonly SurfaceChange[] {
  return messages.map((message, index) => {
    const problem = (says: string) => new SurfaceProblem(`messages[${index}]: ${says}.`);
    if (!isObject(message)) throw problem("it must be an object");
    if (!VERSIONS.includes(String(message.version))) throw problem(`version must be ${VERSIONS.join(" or ")}`);
    const kinds = Object.keys(message).filter((key): key is MessageKind => Object.hasOwn(MESSAGE_KINDS, key));
    const [kind] = kinds;
    if (kind === undefined || kinds.length > 1) {
      throw problem(`it must have exactly one of ${Object.keys(MESSAGE_KINDS).join(", ")}`);
    }
    const catalogId = isObject(message[kind]) ? message[kind].catalogId : undefined;
    const found = rulesOf(String(catalogId)).findMessageProblem(kind, { ...message, version: VERSION });
    if (found !== undefined) throw problem(found);
    // The schema was just found to fit.
    return decodeChange(kind, message[kind] as JsonObject);
  });
}

function decodeChange(kind: MessageKind, body: JsonObject): SurfaceChange {
  const surfaceId = String(body.surfaceId);
  switch (kind) {
    case "createSurface": {
      const theme = isObject(body.theme) ? { theme: body.theme } : {};
      const sending = body.sendDataModel === true ? { sendsData: true } : {};
      return { type: "create", surfaceId, catalogId: String(body.catalogId), ...theme, ...sending };
    }
    case "updateComponents":
      // A list of objects by its schema.
      return { type: "components", surfaceId, components: body.components as readonly JsonObject[] };
    case "updateDataModel": {
      const path = typeof body.path === "string" ? body.path : "/";
      return { type: "data", surfaceId, path, ...(body.value !== undefined && { value: body.value }) };
    }
    case "deleteSurface":
      return { type: "delete", surfaceId };
    default:
      return kind satisfies never;
  }
}

/** The messages that make a client show a surface as it is; for one that is gone, the message that removes it. */
export function encodeSurface(surfaceId: string, surface: Surface | undefined): readonly JsonObject[] {
  const message = (kind: MessageKind, body: JsonObject): JsonObject => ({
    version: VERSION,
    [kind]: { surfaceId, ...body },
  });
  if (surface === undefined) return [message("deleteSurface", {})];
  const { catalog_id: catalogId, theme, sends_data: sendDataModel, components, data } = surface;
  const list = Object.values(components);
  const hasData = !isObject(data) || Object.keys(data).length > 0;
  return [
    message("createSurface", {
      catalogId,
      ...(theme !== undefined && { theme }),
      ...(sendDataModel !== undefined && { sendDataModel }),
    }),
    ...(list.length > 0 ? [message("updateComponents", { components: list })] : []),
    ...(hasData ? [message("updateDataModel", { path: "/", value: data })] : []),
  ];
}
