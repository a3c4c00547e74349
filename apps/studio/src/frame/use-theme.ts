import { useEffect } from "react";
import { useMedia } from "../parts/use-media.ts";
import { useStored } from "../parts/use-stored.ts";

/** Light or dark: as the system has it, until the person chooses. */
export function useTheme(): { readonly isDark: boolean; readonly turn: () => void } {
  const [chosen, choose] = useStored("reprise.theme", "");
  const isSystemDark = useMedia("(prefers-color-scheme: dark)");
  const isDark = chosen === "" ? isSystemDark : chosen === "dark";
  useEffect(() => {
    if (chosen === "") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = chosen;
  }, [chosen]);
  return { isDark, turn: () => choose(isDark ? "light" : "dark") };
}
