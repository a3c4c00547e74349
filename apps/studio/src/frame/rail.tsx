import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { useDecisions } from "../api/queries.ts";
import logo from "../icon.svg";
import { IconButton } from "../parts/button.tsx";
import { classNames } from "../parts/class-names.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Icon, type IconName } from "../parts/icon.tsx";

const SCREENS: readonly (readonly [to: string, label: string, icon: IconName])[] = [
  ["/", "Chat", "chat"],
  ["/inbox", "Inbox", "inbox"],
  ["/runs", "Runs", "runs"],
  ["/agents", "Agents", "agents"],
  ["/workflows", "Flows", "flow"],
  ["/evals", "Evals", "evals"],
  ["/ops", "Ops", "ops"],
];

/** The screens that a phone has no room for at the bottom: they are behind *More*. */
const REST: ReadonlySet<string> = new Set(["/agents", "/workflows", "/evals", "/ops"]);

function isCurrent(to: string, path: string): boolean {
  if (to === "/") return path === "/" || path.startsWith("/threads");
  return path.startsWith(to) || (to === "/workflows" && path.startsWith("/workflow-runs"));
}

interface RailProps {
  readonly path: string;
  readonly openPalette: () => void;
  readonly openHelp: () => void;
  readonly isDark: boolean;
  readonly turnTheme: () => void;
}

/** The way to every screen: at the left, and at the bottom of a phone. */
export function Rail({ path, openPalette, openHelp, isDark, turnTheme }: RailProps): ReactNode {
  const { data: decisions = [] } = useDecisions();
  const [isMore, setMore] = useState(false);
  const isBehind = SCREENS.some(([to]) => REST.has(to) && isCurrent(to, path));
  const closing =
    (action: () => void): (() => void) =>
    () => {
      setMore(false);
      action();
    };
  return (
    <nav
      aria-label="Screens"
      className="flex shrink-0 items-center border-line bg-side max-md:order-last max-md:border-t max-md:pb-[env(safe-area-inset-bottom)] md:w-16 md:flex-col md:border-r md:py-2"
    >
      <img src={logo} alt="Reprise" width={28} height={28} className="mb-3 hidden md:block" />
      <ul className="flex flex-1 max-md:justify-around md:flex-col md:gap-1">
        {SCREENS.map(([to, label, icon]) => {
          const count = to === "/inbox" ? decisions.length : 0;
          return (
            <li key={to} className={classNames(REST.has(to) && "max-md:hidden")}>
              <Link
                to={to}
                aria-current={isCurrent(to, path) ? "page" : undefined}
                className="relative flex w-14 max-md:w-13 flex-col items-center gap-0.5 rounded-lg py-1.5 text-xs text-faint hover:bg-hover hover:text-ink aria-[current=page]:bg-hover aria-[current=page]:font-medium aria-[current=page]:text-ink"
              >
                <Icon name={icon} size={18} />
                {label}
                {count > 0 && <span className="sr-only">{count} open</span>}
                {count > 0 && (
                  <span
                    aria-hidden="true"
                    className="absolute top-0.5 right-1.5 min-w-4.5 rounded-full border-2 border-side bg-wait px-1 text-center text-[11px] leading-[14px] font-semibold text-ground tabular-nums"
                  >
                    {count > 99 ? "99+" : count}
                  </span>
                )}
              </Link>
            </li>
          );
        })}
        <li className="md:hidden">
          <button
            type="button"
            aria-haspopup="dialog"
            aria-expanded={isMore}
            onClick={() => setMore(true)}
            className={classNames(
              "flex w-14 flex-col items-center gap-0.5 rounded-lg py-1.5 text-xs hover:bg-hover hover:text-ink",
              isBehind ? "bg-hover font-medium text-ink" : "text-faint",
            )}
          >
            <Icon name="menu" size={18} />
            More
          </button>
        </li>
      </ul>
      {isMore && (
        <Dialog title="More" close={() => setMore(false)}>
          <ul className="-mx-2 -my-1 flex flex-col">
            {SCREENS.filter(([to]) => REST.has(to)).map(([to, label, icon]) => (
              <li key={to}>
                <Link
                  to={to}
                  aria-current={isCurrent(to, path) ? "page" : undefined}
                  onClick={() => setMore(false)}
                  className="flex items-center gap-3 rounded-md px-2 py-2.5 hover:bg-hover aria-[current=page]:bg-hover aria-[current=page]:font-medium"
                >
                  <Icon name={icon} size={18} className="text-faint" />
                  {label}
                </Link>
              </li>
            ))}
            <MoreItem icon="search" label="Go to…" act={closing(openPalette)} />
            <MoreItem
              icon={isDark ? "sun" : "moon"}
              label={isDark ? "Light theme" : "Dark theme"}
              act={closing(turnTheme)}
            />
            <MoreItem icon="bolt" label="Keys" act={closing(openHelp)} />
          </ul>
        </Dialog>
      )}
      <div className="hidden flex-col items-center gap-1 md:flex">
        <IconButton icon="search" label="Go to… (⌘K)" onClick={openPalette} />
        <IconButton icon={isDark ? "sun" : "moon"} label={isDark ? "Light theme" : "Dark theme"} onClick={turnTheme} />
      </div>
    </nav>
  );
}

function MoreItem({
  icon,
  label,
  act,
}: {
  readonly icon: IconName;
  readonly label: string;
  readonly act: () => void;
}): ReactNode {
  return (
    <li>
      <button
        type="button"
        onClick={act}
        className="flex w-full items-center gap-3 rounded-md px-2 py-2.5 text-left hover:bg-hover"
      >
        <Icon name={icon} size={18} className="text-faint" />
        {label}
      </button>
    </li>
  );
}
