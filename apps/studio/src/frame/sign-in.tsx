import { type ReactNode, useEffect, useRef, useState } from "react";
import { keyWanted } from "../api/connection.ts";
import { useObservable } from "../api/observable.ts";
import { Button } from "../parts/button.tsx";

/** Asks for a key when the server needs one. Nothing is asked where it needs none. */
export function SignIn(): ReactNode {
  const give = useObservable(keyWanted);
  const dialog = useRef<HTMLDialogElement>(null);
  const [key, setKey] = useState("");
  useEffect(() => {
    if (give !== undefined) dialog.current?.showModal();
    else dialog.current?.close();
  }, [give]);
  return (
    <dialog
      ref={dialog}
      aria-labelledby="key-title"
      onCancel={(event) => event.preventDefault()}
      className="m-auto w-[calc(100vw-32px)] max-w-md rounded-lg border border-line bg-ground p-5 text-ink shadow-pop"
    >
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (key.trim() !== "") give?.(key.trim());
          setKey("");
        }}
      >
        <h2 id="key-title" className="text-lg font-semibold">
          This server needs an API key
        </h2>
        <p className="text-faint">
          Create one with <code className="font-mono text-ink">reprise keys create</code>. The studio keeps it until you
          close this tab.
        </p>
        <label className="flex flex-col gap-1 font-medium">
          API key
          <input
            type="password"
            role="textbox"
            value={key}
            onChange={(event) => setKey(event.target.value)}
            autoComplete="off"
            spellCheck={false}
            className="h-9 rounded-md border border-line-strong bg-ground px-2 font-mono"
          />
        </label>
        <Button type="submit" kind="primary" className="self-end">
          Use this key
        </Button>
      </form>
    </dialog>
  );
}
