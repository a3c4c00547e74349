import type { ReactNode } from "react";
import { ServerError } from "../api/connection.ts";
import { Button } from "./button.tsx";
import { Icon, type IconName } from "./icon.tsx";

/** What an error says to a person. */
export function messageOf(error: unknown): string {
  if (error instanceof ServerError) return error.message;
  return `Something went wrong: ${error instanceof Error ? error.message : String(error)}`;
}

/** An error where it happened, with what can be done about it. */
export function ErrorNote({
  error,
  retry,
  dismiss,
}: {
  readonly error: unknown;
  readonly retry?: () => void;
  readonly dismiss?: () => void;
}): ReactNode {
  return (
    <div role="alert" className="flex items-start gap-2 rounded-lg bg-bad-ground px-3 py-2 text-bad">
      <Icon name="warning" className="mt-0.5" />
      <p className="min-w-0 flex-1 break-words">{messageOf(error)}</p>
      {retry !== undefined && (
        <Button small onClick={retry}>
          Try again
        </Button>
      )}
      {dismiss !== undefined && (
        <Button small kind="quiet" onClick={dismiss}>
          Dismiss
        </Button>
      )}
    </div>
  );
}

/** An empty screen: one sentence that teaches, and at most one button. */
export function Empty({
  icon,
  title,
  children,
  action,
  isPage = false,
}: {
  readonly icon: IconName;
  readonly title: string;
  /** It stands for a whole page, so its title is that of the page. */
  readonly isPage?: boolean;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}): ReactNode {
  const Title = isPage ? "h1" : "h2";
  return (
    <div className="mx-auto flex max-w-sm flex-col items-center gap-2 px-6 py-16 text-center">
      <span className="flex size-10 items-center justify-center rounded-full bg-raised text-faint">
        <Icon name={icon} size={20} />
      </span>
      <Title className="text-lg font-semibold">{title}</Title>
      {children !== undefined && <p className="text-faint">{children}</p>}
      {action}
    </div>
  );
}

/** A screen that has nothing to show because it could not be loaded. What does not exist is said in other words than what failed. */
export function ScreenError({
  icon,
  missing,
  error,
  retry,
  action,
}: {
  readonly icon: IconName;
  /** The title when the server does not know what the address names. */
  readonly missing: string;
  readonly error: unknown;
  readonly retry: () => void;
  readonly action?: ReactNode;
}): ReactNode {
  if (error instanceof ServerError && error.status === 404)
    return (
      <main className="h-full">
        <Empty icon={icon} title={missing} action={action} isPage>
          It may have been deleted, or the address is incomplete.
        </Empty>
      </main>
    );
  return (
    <main className="mx-auto flex h-full w-full max-w-xl flex-col gap-3 p-4">
      <h1 className="text-lg font-semibold">This could not be loaded</h1>
      <ErrorNote error={error} retry={retry} />
      {action}
    </main>
  );
}

const WIDTHS = ["90%", "73%", "56%", "84%", "67%", "50%", "78%", "61%"];

/** Stands for a list that is being loaded; appears after 300 ms only. */
export function Skeleton({ rows = 6 }: { readonly rows?: number }): ReactNode {
  return (
    <div role="status" aria-label="Loading" className="flex flex-col gap-3 p-4">
      {WIDTHS.slice(0, rows).map((width) => (
        <div key={width} className="skeleton h-4" style={{ width }} />
      ))}
    </div>
  );
}
