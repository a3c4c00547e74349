import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { useThreads } from "../../api/queries.ts";
import { saveFile } from "../../api/save-file.ts";
import { DeleteThread } from "../../components/delete-thread.tsx";
import { useCompareKey } from "../../components/use-cursor.ts";
import { Button, IconButton } from "../../parts/button.tsx";

interface ThreadMenuProps {
  readonly threadId: string;
  readonly fork: () => void;
  readonly fail: (problem: unknown) => void;
}

/** What can be done with a thread as a whole. */
export function ThreadMenu({ threadId, fork, fail }: ThreadMenuProps): ReactNode {
  const navigate = useNavigate();
  const [isDeleting, setDeleting] = useState(false);
  const path = `v1/threads/${encodeURIComponent(threadId)}/export`;
  const threads = useThreads(200);
  const own = threads.data?.find(({ thread_id }) => thread_id === threadId);
  const original = threads.data?.find(({ thread_id }) => thread_id === own?.parent_thread_id)?.last_run?.run_id;
  const fresh = own?.last_run?.run_id;
  const compare =
    original === undefined || fresh === undefined
      ? undefined
      : () => void navigate({ to: "/compare/$a/$b", params: { a: original, b: fresh } });
  useCompareKey(compare);
  return (
    <span className="flex items-center">
      {compare !== undefined && (
        <Button small icon="compare" className="mr-1" title="Both runs side by side" onClick={compare}>
          Compare <span className="max-md:sr-only">with the original</span>
        </Button>
      )}
      <IconButton icon="fork" label="Fork the thread" onClick={fork} />
      <IconButton
        icon="download"
        label="Export the thread"
        className="max-md:hidden"
        onClick={() => void saveFile(path, `${threadId}.ndjson`).catch(fail)}
      />
      <IconButton icon="trash" label="Delete the thread" className="max-md:hidden" onClick={() => setDeleting(true)} />
      {isDeleting && (
        <DeleteThread
          threadId={threadId}
          close={() => setDeleting(false)}
          done={() => navigate({ to: "/" })}
          fail={fail}
        />
      )}
    </span>
  );
}
