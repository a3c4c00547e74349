import { Outlet, useRouterState } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense, useEffect, useState } from "react";
import { connected } from "../api/connection.ts";
import { useObservable } from "../api/observable.ts";
import { queryClient } from "../api/queries.ts";
import { isTyping } from "../parts/is-typing.ts";
import { Skeleton } from "../parts/notice.tsx";
import { Rail } from "./rail.tsx";
import { SignIn } from "./sign-in.tsx";
import { useTheme } from "./use-theme.ts";

const CommandPalette = lazy(async () => ({ default: (await import("./command-palette.tsx")).CommandPalette }));
const Help = lazy(async () => ({ default: (await import("./help.tsx")).Help }));

/** Everything around the screens: the rail, the connection, the palette, sign-in. */
export function Frame(): ReactNode {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const { isDark, turn } = useTheme();
  const [opened, setOpened] = useState<"palette" | "help">();
  const isConnected = useObservable(connected);
  useEffect(() => {
    if (isConnected) void queryClient.invalidateQueries();
  }, [isConnected]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === "k" && (event.metaKey || event.ctrlKey)) {
        event.preventDefault();
        setOpened((before) => (before === "palette" ? undefined : "palette"));
      } else if (event.key === "?" && !isTyping(event)) setOpened("help");
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
  const close = (): void => setOpened(undefined);
  return (
    <div className="flex h-dvh flex-col md:flex-row">
      <button
        type="button"
        className="sr-only z-50 rounded-md bg-ground px-3 py-2 focus:not-sr-only focus:absolute focus:top-2 focus:left-2"
        onClick={() => (document.getElementById("say") ?? document.getElementById("main"))?.focus()}
      >
        Skip to the content
      </button>
      <Rail
        path={path}
        openPalette={() => setOpened("palette")}
        openHelp={() => setOpened("help")}
        isDark={isDark}
        turnTheme={turn}
      />
      <div id="main" tabIndex={-1} className="relative min-h-0 min-w-0 flex-1 outline-none">
        <p
          role="status"
          className="pointer-events-none absolute top-14 left-1/2 z-20 -translate-x-1/2 rounded-full bg-wait-ground px-3 py-1 text-sm text-wait shadow-pop empty:hidden"
        >
          {isConnected ? "" : "Reconnecting…"}
        </p>
        <Suspense fallback={<Skeleton />}>
          <Outlet />
        </Suspense>
      </div>
      <Suspense>
        {opened === "palette" && <CommandPalette close={close} turnTheme={turn} />}
        {opened === "help" && <Help close={close} />}
      </Suspense>
      <SignIn />
    </div>
  );
}
