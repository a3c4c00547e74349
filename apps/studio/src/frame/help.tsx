import type { ReactNode } from "react";
import { Dialog } from "../parts/dialog.tsx";

const KEYS: readonly (readonly [key: string, does: string])[] = [
  ["⌘K", "Go anywhere"],
  ["[ and ]", "Move the cursor by one version"],
  ["Esc", "Back to now; stops a run at work"],
  ["F", "Fork from the version that is shown"],
  ["C", "Compare a fork or a re-run with its original"],
  ["X, C", "Choose runs, compare two of them"],
  ["J and K", "Next and previous in a list"],
  ["A, D, E", "Approve, deny with a reason, edit in the inbox"],
  ["X, ⇧D", "Choose questions in the inbox, deny all that are chosen"],
  ["Enter", "Send a message; open what is chosen"],
  ["?", "This list"],
];

/** The keys. */
export function Help({ close }: { readonly close: () => void }): ReactNode {
  return (
    <Dialog title="Keys" close={close}>
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-2">
        {KEYS.map(([key, does]) => (
          <div key={key} className="contents">
            <dt>
              <kbd className="rounded-sm border border-line-strong bg-side px-1.5 py-0.5 font-mono text-xs">{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
