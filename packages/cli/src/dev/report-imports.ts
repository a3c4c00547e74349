import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

/** Tells every file that is imported from now on, also one that is not there yet. Packages do not count. */
export function reportImports(report: (file: string) => void): void {
  const tell = (url: string): void => {
    if (url.startsWith("file:") && !url.includes("/node_modules/")) report(fileURLToPath(url));
  };
  registerHooks({
    resolve(specifier, context, nextResolve) {
      try {
        const resolved = nextResolve(specifier, context);
        tell(resolved.url);
        return resolved;
      } catch (error) {
        if (/^\.{0,2}\//.test(specifier) && context.parentURL !== undefined)
          tell(new URL(specifier, context.parentURL).href);
        throw error;
      }
    },
  });
}
