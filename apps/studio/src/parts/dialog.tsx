import { type ReactNode, useEffect, useRef } from "react";
import { IconButton } from "./button.tsx";
import { classNames } from "./class-names.ts";

interface DialogProps {
  readonly title: string;
  readonly close: () => void;
  readonly children: ReactNode;
  readonly wide?: boolean;
  /** At the side of the page, from top to bottom. */
  readonly side?: "left" | "right";
}

/** A modal dialog of the browser's own: it keeps the focus, closes with Escape and needs no script for either. */
export function Dialog({ title, close, children, wide = false, side }: DialogProps): ReactNode {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const { current } = ref;
    if (current !== null && !current.open) current.showModal();
  }, []);
  const place =
    side === undefined
      ? classNames("m-auto max-h-[85dvh] w-[calc(100vw-32px)] rounded-lg", wide ? "max-w-3xl" : "max-w-md")
      : classNames("my-0 h-dvh max-h-none w-[min(400px,90vw)]", side === "left" ? "mr-auto ml-0" : "mr-0 ml-auto");
  return (
    <dialog
      ref={ref}
      aria-label={title}
      data-scrolls=""
      onClose={close}
      onClick={(event) => event.target === ref.current && close()}
      className={classNames("pop-in overflow-y-auto border border-line bg-ground p-0 text-ink shadow-pop", place)}
    >
      <div className="flex min-h-full flex-col">
        <header className="sticky top-0 z-10 flex items-center justify-between gap-2 border-b border-line bg-ground py-2 pr-2 pl-4">
          <h2 className="font-semibold">{title}</h2>
          <IconButton icon="cross" label="Close" onClick={close} />
        </header>
        <div className={classNames("flex-1", side === undefined && "p-4")}>{children}</div>
      </div>
    </dialog>
  );
}
