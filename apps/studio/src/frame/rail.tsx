import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useDecisions } from "../api/queries.ts";
import logo from "../icon.svg";
import { IconButton } from "../parts/button.tsx";
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

interface RailProps {
  readonly path: string;
  readonly openPalette: () => void;
  readonly isDark: boolean;
  readonly turnTheme: () => void;
}

/** The way to every screen: at the left, and at the bottom of a phone. */
export function Rail({ path, openPalette, isDark, turnTheme }: RailProps): ReactNode {
  const { data: decisions = [] } = useDecisions();
  return (
    <nav
      aria-label="Screens"
      className="flex shrink-0 items-center border-line bg-side max-md:order-last max-md:border-t max-md:pb-[env(safe-area-inset-bottom)] md:w-16 md:flex-col md:border-r md:py-2"
    >
      <img src={logo} alt="Reprise" width={28} height={28} className="mb-3 hidden md:block" />
      <ul className="flex flex-1 max-md:justify-around md:flex-col md:gap-1">
        {SCREENS.map(([to, label, icon]) => {
          const isCurrent =
            to === "/"
              ? path === "/" || path.startsWith("/threads")
              : path.startsWith(to) || (to === "/workflows" && path.startsWith("/workflow-runs"));
          const count = to === "/inbox" ? decisions.length : 0;
          return (
            <li key={to}>
              <Link
                to={to}
                aria-current={isCurrent ? "page" : undefined}
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
      </ul>
      <div className="hidden flex-col items-center gap-1 md:flex">
        <IconButton icon="search" label="Go to… (⌘K)" onClick={openPalette} />
        <IconButton icon={isDark ? "sun" : "moon"} label={isDark ? "Light theme" : "Dark theme"} onClick={turnTheme} />
      </div>
    </nav>
  );
}
