/**
 * Text for the model with a word about who added it, such as `plugin:<id>`. The text may come from anywhere: it cannot close its own frame, nor
 * pass for another one's.
 */
export function frameText(tag: "context" | "reminder" | "task", source: string, text: string): string {
  const safe = text.replace(/<(\/?)(context|reminder|task)/gi, "&lt;$1$2");
  return `<${tag} source="${source}">\n${safe}\n</${tag}>`;
}
