import type { ReactNode } from "react";
import { ask } from "../api/connection.ts";
import { queryClient } from "../api/queries.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";

interface DeleteThreadProps {
  readonly threadId: string;
  readonly close: () => void;
  /** Leaves the pages of the thread. */
  readonly done: () => Promise<void>;
  readonly fail: (problem: unknown) => void;
}

/** Asks before a thread is deleted: it cannot be undone. */
export function DeleteThread({ threadId, close, done, fail }: DeleteThreadProps): ReactNode {
  const remove = async (): Promise<void> => {
    await ask(`v1/threads/${encodeURIComponent(threadId)}`, { method: "DELETE" });
    // A page that still shows the thread would ask for it again.
    await done();
    await queryClient.invalidateQueries();
  };
  return (
    <Dialog title="Delete the thread?" close={close}>
      <div className="flex flex-col gap-4">
        <p>
          Deletes the thread with everything that happened on it: messages, state, history and all its runs. Forks of it
          stay.
        </p>
        <div className="flex justify-end gap-2">
          <Button onClick={close}>Keep it</Button>
          <Button
            kind="danger"
            icon="trash"
            onClick={() => {
              close();
              remove().catch(fail);
            }}
          >
            Delete
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
