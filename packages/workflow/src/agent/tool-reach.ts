import type { ToolContext } from "@reprise/contracts";
import { createCatalogueFilter } from "@reprise/runtime";
import type { Workflow } from "../document/workflow-document.ts";

/** The section under which a tool of a node finds the `tools` of its workflow. */
const SECTION = "workflow_tools";

/** What a workflow lets its tools reach. */
export interface ToolReach {
  /** Whether a command line may be run: it is listed as it is, or a pattern fits all of it. */
  allowsCommand(command: string): boolean;
  /** Whether a URL may be asked: http or https, and the full name of its host is listed. */
  allowsUrl(url: string): boolean;
}

/** What the workflow of a node lets the tool reach that gets this context; undefined outside of workflows. Tools that run commands or ask hosts check it. */
export function toolReach({ section }: Pick<ToolContext, "section">): ToolReach | undefined {
  // Checked with the document.
  const policy = section(SECTION) as Workflow["tools"];
  if (policy === undefined) return undefined;
  const { allowed_commands = [], allowed_command_globs = [], allowed_domains = [] } = policy;
  const commands = createCatalogueFilter({
    allowed: allowed_commands,
    allowedPatterns: allowed_command_globs,
    excluded: [],
    excludedPatterns: [],
  });
  const hosts = new Set(allowed_domains.map(hostName));
  return {
    allowsCommand: (command) => commands.admits(command),
    allowsUrl(url) {
      if (!URL.canParse(url)) return false;
      const { protocol, hostname } = new URL(url);
      return (protocol === "https:" || protocol === "http:") && hosts.has(hostName(hostname));
    },
  };
}

/** Names of hosts know no case, and may end in a dot. */
function hostName(name: string): string {
  return name.toLowerCase().replace(/\.$/, "");
}

/** The sections that tools of a workflow's nodes find. */
export function toolSections({ tools = {} }: Pick<Workflow, "tools">): ToolContext["section"] {
  // Made of JSON; its interface hides it.
  return (key) => (key === SECTION ? { ...tools } : undefined);
}
