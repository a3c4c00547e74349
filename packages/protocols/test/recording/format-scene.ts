import type { ProtocolScene } from "@reprise/testkit";

const SHORT_LIST = /\[\n\s*((?:"(?:[^"\\]|\\.)*"|-?[\d.]+)(?:,\n\s*(?:"(?:[^"\\]|\\.)*"|-?[\d.]+))*)\n\s*\]/g;

/** A scene as the formatter of the repository would write it. */
export function formatScene(scene: ProtocolScene): string {
  const text = JSON.stringify(scene, null, 2).replace(
    SHORT_LIST,
    (_, items: string) => `[${items.replace(/,\n\s*/g, ", ")}]`,
  );
  return `${text}\n`;
}
