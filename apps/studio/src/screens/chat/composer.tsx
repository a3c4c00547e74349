import { type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import { uploadFile } from "../../api/requests.ts";
import { Button, IconButton } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { ErrorNote } from "../../parts/notice.tsx";
import { changeDraft, type Draft, type Said } from "../../session/drafts.ts";

interface ComposerProps {
  readonly field: RefObject<HTMLTextAreaElement | null>;
  /** The thread that the message is for; undefined for a new one. */
  readonly threadId: string | undefined;
  readonly draft: Draft;
  readonly isBusy: boolean;
  /** The tools whose calls need approval. */
  readonly asking: readonly string[];
  readonly suggestions: readonly string[];
  readonly send: (said: Said, policy: "continue" | "enqueue") => void;
  readonly stop: () => void;
  /** Set while a message is written anew. */
  readonly cancelEdit?: (() => void) | undefined;
}

/** Where a message is written. While a call needs approval, the person says first what becomes of it. */
export function Composer(props: ComposerProps): ReactNode {
  const { field, threadId, draft, isBusy, asking, suggestions, send, stop, cancelEdit } = props;
  const { text, files, uploading } = draft;
  const [isConfirming, setConfirming] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const picker = useRef<HTMLInputElement>(null);
  const after = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    const { current } = field;
    if (current === null || text === undefined) return;
    current.style.height = "auto";
    current.style.height = `${Math.min(current.scrollHeight, 200)}px`;
  }, [field, text]);
  useEffect(() => {
    if (asking.length === 0) setConfirming(false);
  }, [asking.length]);
  useEffect(() => {
    if (isConfirming) after.current?.focus();
  }, [isConfirming]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was asked or failed belongs to the thread that was left.
  useEffect(() => {
    setConfirming(false);
    setProblem(undefined);
  }, [threadId]);

  const finish = (policy: "continue" | "enqueue", said = text.trim()): void => {
    setConfirming(false);
    field.current?.focus();
    send({ text: said, files }, policy);
  };
  const submit = (said: string): void => {
    if ((said === "" && files.length === 0) || uploading > 0) return;
    if (asking.length === 0 || cancelEdit !== undefined) return finish("continue", said);
    changeDraft(threadId, (now) => ({ ...now, text: said }));
    setConfirming(true);
  };
  const attach = async (chosen: readonly File[]): Promise<void> => {
    setProblem(undefined);
    const count = (by: number): void =>
      changeDraft(threadId, (now) => ({ ...now, uploading: Math.max(0, now.uploading + by) }));
    count(chosen.length);
    for (const file of chosen) {
      try {
        const { ref, media_type } = await uploadFile(file);
        const attached = { url: ref, mediaType: media_type, name: file.name };
        changeDraft(threadId, (now) => ({ ...now, files: [...now.files.filter(({ url }) => url !== ref), attached] }));
      } catch (error) {
        setProblem(error);
      } finally {
        count(-1);
      }
    }
  };
  const [first] = asking;
  const asked = asking.length === 1 ? `${first} needs approval` : `${asking.length} tool calls need approval`;
  const fate =
    asking.length === 1 ? "withdraws the call, and it does not run" : "withdraws the calls, and they do not run";
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        submit(text.trim());
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        if (isConfirming) {
          event.preventDefault();
          event.stopPropagation();
          event.nativeEvent.stopImmediatePropagation();
          setConfirming(false);
          field.current?.focus();
        } else if (cancelEdit !== undefined) {
          event.stopPropagation();
          event.nativeEvent.stopImmediatePropagation();
          cancelEdit();
        }
      }}
    >
      {suggestions.length > 0 && (
        <ul aria-label="Things to try" className="flex flex-wrap gap-1.5">
          {suggestions.map((suggestion) => (
            <li key={suggestion}>
              <button
                type="button"
                onClick={() => submit(suggestion)}
                className="rounded-full border border-line bg-ground px-3 py-1 text-sm text-faint hover:border-line-strong hover:text-ink"
              >
                {suggestion}
              </button>
            </li>
          ))}
        </ul>
      )}
      {isConfirming && (
        <div
          role="alertdialog"
          aria-labelledby="fate"
          className="pop-in flex flex-col gap-2.5 rounded-lg border border-wait-line bg-wait-ground p-3"
        >
          <p id="fate">{`${asked}. Sending this message now ${fate}.`}</p>
          <div className="flex flex-wrap gap-2">
            <Button ref={after} kind="primary" onClick={() => finish("enqueue")}>
              Send after the decision
            </Button>
            <Button kind="danger" onClick={() => finish("continue")}>
              Withdraw and send now
            </Button>
            <Button onClick={() => setConfirming(false)}>Back</Button>
          </div>
        </div>
      )}
      {cancelEdit !== undefined && (
        <p className="flex items-center gap-2 text-sm text-faint">
          <Icon name="edit" size={13} />
          Sending takes back the message and everything after it; effects of tools are not undone.
          <button type="button" className="text-accent underline" onClick={cancelEdit}>
            Keep it
          </button>
        </p>
      )}
      {problem !== undefined && <ErrorNote error={problem} dismiss={() => setProblem(undefined)} />}
      {(files.length > 0 || uploading > 0) && (
        <ul aria-label="Attached files" className="flex flex-wrap gap-1.5">
          {files.map((file) => (
            <li key={file.url} className="flex items-center gap-1 rounded-md bg-raised pl-2 text-sm">
              <Icon name="clip" size={13} />
              {file.name}
              <IconButton
                icon="cross"
                label={`Remove ${file.name}`}
                className="size-6"
                onClick={() =>
                  changeDraft(threadId, (now) => ({ ...now, files: files.filter((each) => each !== file) }))
                }
              />
            </li>
          ))}
          {uploading > 0 && <li className="text-sm text-faint">Uploading…</li>}
        </ul>
      )}
      <div className="flex items-end gap-1 rounded-lg border border-line-strong bg-ground p-1.5 focus-within:border-accent focus-within:outline-2 focus-within:outline-accent">
        <label className="sr-only" htmlFor="say">
          Message
        </label>
        <textarea
          id="say"
          ref={field}
          rows={1}
          value={text}
          autoComplete="off"
          placeholder="Message"
          onChange={(event) => {
            const { value } = event.target;
            changeDraft(threadId, (now) => ({ ...now, text: value }));
          }}
          onPaste={(event) => {
            const pasted = [...event.clipboardData.files];
            if (pasted.length > 0) void attach(pasted);
          }}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            submit(text.trim());
          }}
          className="max-h-50 min-h-8 min-w-0 flex-1 resize-none bg-transparent px-2 py-1.5 outline-none"
        />
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          onChange={(event) => {
            void attach([...(event.target.files ?? [])]);
            event.target.value = "";
            field.current?.focus();
          }}
        />
        <IconButton icon="clip" label="Attach files" onClick={() => picker.current?.click()} />
        {isBusy && (
          <Button kind="danger" icon="stop" onClick={stop}>
            Stop
          </Button>
        )}
        <Button type="submit" kind="primary">
          {isBusy ? "Queue" : "Send"}
        </Button>
      </div>
      <p role="status" className="truncate text-xs text-faint">
        {isBusy
          ? "Enter queues a message. Escape stops the run."
          : asking.length > 0
            ? `${asked}.`
            : "Enter sends. Shift + Enter starts a new line."}
      </p>
    </form>
  );
}
