import { type ReactNode, useState } from "react";
import { ROOT } from "../../api/connection.ts";
import type { Workflow } from "../../api/types.ts";
import { IconButton } from "../../parts/button.tsx";
import { formatTime } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { Status } from "../../parts/status.tsx";

interface Trigger {
  readonly type?: string;
  readonly cron?: string;
  readonly timezone?: string;
  readonly secret?: string;
}

/** What starts a workflow without a person: its schedule with the next times, or its webhook. */
export function Triggers({ workflow }: { readonly workflow: Workflow }): ReactNode {
  const { type, cron, timezone = "UTC", secret } = workflow.trigger as Trigger;
  const { next_times: next = [], is_webhook_ready: isReady = false } = workflow;
  return (
    <section aria-label="Triggers" className="flex flex-col gap-2">
      <h2 className="font-semibold">Triggers</h2>
      {type === "schedule" ? (
        <>
          <p className="flex items-center gap-2 text-sm">
            <Icon name="clock" size={14} className="text-faint" />
            <code className="font-mono">{cron}</code>
            <span className="text-faint">{timezone}</span>
          </p>
          {next.length > 0 && (
            <p className="text-sm text-faint">Next: {next.map((time) => formatTime(time)).join(", ")}</p>
          )}
        </>
      ) : type === "webhook" ? (
        <>
          <Address url={`${ROOT}v1/workflows/${encodeURIComponent(workflow.id)}/webhook`} />
          <p className="text-sm text-faint">
            Signed with the secret in <code className="font-mono">{secret}</code>.
          </p>
          {isReady ? (
            <Status word="done">The secret is set</Status>
          ) : (
            <Status word="failed">The server has no such variable: every request is refused</Status>
          )}
        </>
      ) : (
        <p className="text-sm text-faint">
          Started by hand or over HTTP. A <code className="font-mono">trigger</code> in the document adds a schedule or
          a webhook.
        </p>
      )}
    </section>
  );
}

function Address({ url }: { readonly url: string }): ReactNode {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(url);
    setCopied(true);
  };
  return (
    <p className="flex items-center gap-1 rounded-md border border-line bg-side pl-2">
      <code className="min-w-0 flex-1 truncate font-mono text-xs">POST {url}</code>
      <IconButton icon={isCopied ? "check" : "copy"} label="Copy the address" onClick={() => void copy()} />
    </p>
  );
}
