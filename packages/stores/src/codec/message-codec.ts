import type { Message, MessageMetadata, MessageRole } from "@reprise/contracts";
import { compactJson, expandJson } from "./compact-json.ts";
import type { SealedMessage } from "./sealed-changeset.ts";

type About = number | MessageMetadata | readonly MessageMetadata[];

/**
 * How a message is stored, beside its id: by place, since most have nothing but a role, a text and the run that brought them.
 * `about` is its metadata without that run's id, left out when there is nothing else, and a number when that is the step alone.
 * It is a list of the metadata when they do not have that id, an empty one when there are none at all.
 */
type StoredForm = readonly [role: string, content: Message["content"], about?: About, rest?: object];

const ROLES: Readonly<Record<MessageRole, string>> = { user: "u", assistant: "a", tool: "t", system: "s" };

const ROLES_BY_CODE: ReadonlyMap<string, MessageRole> = new Map(
  // The keys of the table are the roles.
  Object.entries(ROLES).map(([role, code]) => [code, role as MessageRole]),
);

const NOTHING = {};

/** Writes a message that a run's commit brings, or nobody's. */
export function sealMessage(message: Message, runId: string | null): SealedMessage {
  const { id, role, content, metadata, ...rest } = message;
  const form = trim([ROLES[role] ?? role, content, aboutOf(metadata, runId), rest]);
  return {
    id,
    is_internal: message.visibility === "internal",
    body: compactJson(form, { run_id: runId, texts: [] }),
  };
}

export function openMessage(id: string, text: string, runId: string | null): Message {
  // What was parsed was written by `sealMessage`.
  const [code, content, about = NOTHING, rest] = expandJson("message", text, {
    run_id: runId,
    texts: [],
  }) as StoredForm;
  const metadata = metadataOf(about, runId);
  // A role that has no code is written out.
  const role = ROLES_BY_CODE.get(code) ?? (code as MessageRole);
  const message = metadata === undefined ? { id, role, content } : { id, role, content, metadata };
  return rest === undefined ? message : { ...message, ...rest };
}

function aboutOf(metadata: MessageMetadata | undefined, runId: string | null): About {
  if (metadata === undefined) return [];
  if (runId === null || metadata.run_id !== runId) return [metadata];
  const { run_id: _, ...about } = metadata;
  const { step_index, ...others } = about;
  return typeof step_index === "number" && Object.keys(others).length === 0 ? step_index : about;
}

function metadataOf(about: About, runId: string | null): MessageMetadata | undefined {
  const run_id = runId ?? "";
  if (typeof about === "number") return { run_id, step_index: about };
  return isList(about) ? about[0] : { run_id, ...about };
}

function isList(about: About): about is readonly MessageMetadata[] {
  return Array.isArray(about);
}

/** Leaves out what is empty at the end. */
function trim([role, content, about, rest]: Required<StoredForm>): StoredForm {
  if (Object.keys(rest).length > 0) return [role, content, about, rest];
  const isPlain = typeof about === "object" && !isList(about) && Object.keys(about).length === 0;
  return isPlain ? [role, content] : [role, content, about];
}
