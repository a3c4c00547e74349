import type { ComponentProps, ReactNode } from "react";
import { classNames } from "./class-names.ts";
import { Icon, type IconName } from "./icon.tsx";

type Kind = "plain" | "primary" | "danger" | "quiet";

const KINDS: Readonly<Record<Kind, string>> = {
  plain: "border-line-strong bg-ground hover:bg-hover",
  primary: "border-transparent bg-accent text-on-accent hover:bg-accent-strong",
  danger: "border-line-strong bg-ground text-bad hover:border-bad hover:bg-bad-ground",
  quiet: "border-transparent text-faint hover:bg-hover hover:text-ink",
};

export interface ButtonProps extends ComponentProps<"button"> {
  readonly kind?: Kind;
  readonly small?: boolean;
  readonly icon?: IconName;
  /** The key that does the same, shown beside the word. */
  readonly hint?: string;
}

export function Button({
  kind = "plain",
  small = false,
  icon,
  hint,
  className,
  children,
  ...rest
}: ButtonProps): ReactNode {
  return (
    <button
      type="button"
      className={classNames(
        "inline-flex items-center justify-center gap-1.5 rounded-md border font-medium whitespace-nowrap transition-colors duration-100 disabled:opacity-50",
        small ? "min-h-7 px-2 text-sm" : "min-h-8 px-3",
        KINDS[kind],
        className,
      )}
      {...rest}
    >
      {icon !== undefined && <Icon name={icon} size={14} />}
      {children}
      {hint !== undefined && (
        // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a key cap takes no focus.
        <kbd aria-hidden="true" className="hidden font-sans text-xs font-normal opacity-80 md:inline">
          {hint}
        </kbd>
      )}
    </button>
  );
}

/** A button that is only an icon; its word is for screen readers and the tooltip. */
export function IconButton({
  icon,
  label,
  className,
  ...rest
}: ComponentProps<"button"> & { readonly icon: IconName; readonly label: string }): ReactNode {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={classNames(
        "inline-flex size-8 items-center justify-center rounded-md text-faint transition-colors duration-100 hover:bg-hover hover:text-ink disabled:opacity-40",
        className,
      )}
      {...rest}
    >
      <Icon name={icon} />
    </button>
  );
}
