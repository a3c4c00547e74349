/**
 * Text for the model with a word about who added it. The text may come from anywhere: it cannot close its own frame, nor
 * pass for another one's.
 */
export function frameText(tag: "context" | "reminder", plugin: string, text: string): string {
  const safe = text.replace(/<(\/?)(context|reminder)/gi, "&lt;$1$2");
  return `<${tag} source="plugin:${plugin}">\n${safe}\n</${tag}>`;
}
