import { getToolName, isToolUIPart, type UIMessage } from "ai";
import { useEffect, useRef } from "react";

interface PermissionDialogProps {
  readonly message: UIMessage | undefined;
  readonly onAnswer: (answer: { id: string; approved: boolean }) => unknown;
}

/** Asks about the calls that need approval, one after the other. The answers are sent together, after the last. */
export function PermissionDialog({ message, onAnswer }: PermissionDialogProps) {
  const waiting = (message?.parts ?? []).filter(isToolUIPart).filter((part) => part.state === "approval-requested");
  const [question] = waiting;
  const dialog = useRef<HTMLDialogElement>(null);
  const isOpen = question !== undefined;
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
  }, [isOpen]);
  if (question === undefined) return null;
  const answer = (approved: boolean) => onAnswer({ id: question.approval.id, approved });
  return (
    // It stays until it is answered: Escape would close it.
    <dialog ref={dialog} aria-labelledby="question" onClose={() => dialog.current?.showModal()}>
      <h2 id="question">
        May <code>{getToolName(question)}</code> run?
      </h2>
      <p>With exactly these arguments:</p>
      <pre>{JSON.stringify(question.input, null, 2)}</pre>
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
