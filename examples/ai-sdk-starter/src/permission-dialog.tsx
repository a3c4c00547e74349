import { getToolName, isToolUIPart, type UIMessage } from "ai";
import { useEffect, useRef, useState } from "react";

const SCOPES = { once: "for this call", thread: "for this thread", always: "always" } as const;

/** How far an answer reaches. */
export type Remember = keyof typeof SCOPES;

interface PermissionDialogProps {
  readonly message: UIMessage | undefined;
  readonly onAnswer: (answer: { id: string; approved: boolean; remember: Remember }) => unknown;
}

/** The calls that a remembered answer covers; undefined where an answer is about one call. */
function coveredBy(descriptor: unknown): string | undefined {
  return (descriptor as { parameters?: { remembers?: string } } | undefined)?.parameters?.remembers;
}

/** Asks about the calls that need approval, one after the other. The answers are sent together, after the last. */
export function PermissionDialog({ message, onAnswer }: PermissionDialogProps) {
  const waiting = (message?.parts ?? []).filter(isToolUIPart).filter((part) => part.state === "approval-requested");
  const [question] = waiting;
  const [remember, setRemember] = useState<Remember>("once");
  const dialog = useRef<HTMLDialogElement>(null);
  const isOpen = question !== undefined;
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
  }, [isOpen]);
  if (question === undefined) return null;
  const answer = (approved: boolean) => {
    onAnswer({ id: question.approval.id, approved, remember });
    // The next question is another one: each has to be chosen to be remembered.
    setRemember("once");
  };
  const covered = coveredBy(question.approval.descriptor);
  return (
    // It stays until it is answered: Escape would close it.
    <dialog ref={dialog} aria-labelledby="question" onClose={() => dialog.current?.showModal()}>
      <h2 id="question">
        May <code>{getToolName(question)}</code> run?
      </h2>
      <p>With exactly these arguments:</p>
      <pre>{JSON.stringify(question.input, null, 2)}</pre>
      {covered !== undefined && (
        <label>
          The answer about <code>{covered}</code> counts{" "}
          <select value={remember} onChange={(event) => setRemember(event.target.value as Remember)}>
            {Object.entries(SCOPES).map(([scope, words]) => (
              <option key={scope} value={scope}>
                {words}
              </option>
            ))}
          </select>
        </label>
      )}
      <footer>
        <span>{waiting.length > 1 && `${waiting.length - 1} more to decide`}</span>
        <button type="button" className="deny" onClick={() => answer(false)}>
          Deny
        </button>
        <button type="button" onClick={() => answer(true)}>
          Approve
        </button>
      </footer>
    </dialog>
  );
}
