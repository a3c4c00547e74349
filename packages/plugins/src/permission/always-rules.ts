import type { Documents, KeptDocuments } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { withRule } from "./permission-state.ts";
import type { KeptRule, PermissionRule } from "./rule.ts";

/** The kind of the documents that hold the rules people made for good. */
export const ALWAYS_KIND = "permission";

/** Whose rules they are: those of an agent, for the resource that its runs work for. */
export interface RuleOwner {
  readonly agentId: string;
  readonly resourceId?: string | undefined;
}

/** The rules that people made for good. */
export interface AlwaysRules {
  list(): Promise<readonly KeptRule[]>;
  /** Adds a rule, in the place of one with the same pattern. */
  set(rule: PermissionRule): Promise<void>;
  /** True when there was a rule with this pattern. */
  remove(pattern: string): Promise<boolean>;
}

/** How often a write is tried again that another writer came before. */
const ATTEMPTS = 20;

const MAX_ID = 256;

/**
 * The id of an owner's document; undefined where no document can have it, and then there are no such rules. Encoded, so that no name of a
 * resource can be read as that of another.
 */
function documentId({ agentId, resourceId = "" }: RuleOwner): string | undefined {
  if (!agentId.isWellFormed() || !resourceId.isWellFormed()) return undefined;
  const id = `${encodeURIComponent(agentId)} ${encodeURIComponent(resourceId)}`;
  return id.length > MAX_ID ? undefined : id;
}

/** Opens the rules of an owner in the documents of the plugin. */
export function openAlwaysRules(documents: Pick<KeptDocuments, "load" | "save">, owner: RuleOwner): AlwaysRules {
  const id = documentId(owner);
  const change = async (next: (rules: readonly KeptRule[]) => readonly KeptRule[]): Promise<boolean> => {
    if (id === undefined) return false;
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const stored = await documents.load(id);
      const rules = readRules(stored?.body);
      const changed = next(rules);
      if (changed.length === rules.length && changed.every((rule, index) => rule === rules[index])) return false;
      // Rules are made of JSON; their interface hides it.
      const body = { rules: changed } as unknown as Json;
      const { saved } = await documents.save(id, body, stored?.revision ?? 0);
      if (saved) return true;
    }
    throw new Error(`The permission rules of ${owner.agentId} were changed by others ${ATTEMPTS} times in a row.`);
  };
  return {
    list: async () => (id === undefined ? [] : readRules((await documents.load(id))?.body)),
    set: async (rule) => {
      await change((rules) => withRule(rules, rule));
    },
    remove: (pattern) => change((rules) => rules.filter(({ tool }) => tool !== pattern)),
  };
}

/** The same for a host: `rememberedRules(runtime.documents, { agentId: "clerk" })` lists what people allowed for good, and takes it back. */
export function rememberedRules(documents: Documents, owner: RuleOwner): AlwaysRules {
  // The runtime keeps the documents of plugins under this name.
  const kind = `plugin.${ALWAYS_KIND}`;
  const kept: Parameters<typeof openAlwaysRules>[0] = {
    load: (id) => documents.loadDocument(kind, id),
    save: (id, body, expected) => documents.saveDocument({ kind, id, body }, expected),
  };
  return openAlwaysRules(kept, owner);
}

function readRules(body: Json | undefined): readonly KeptRule[] {
  if (typeof body !== "object" || body === null || !("rules" in body)) return [];
  // Written above, as a list of rules.
  return body.rules as unknown as readonly KeptRule[];
}
