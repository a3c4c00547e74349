/** What a terminal would obey instead of show: control characters but line ends and tabs, and marks that turn text around. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that must not reach a terminal.
const COMMANDS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Text of models, tools and users as a terminal may show it: as text, whatever is in it. */
export function plainText(text: string): string {
  return text.replace(COMMANDS, "");
}

/** The same on one line, and not longer than there is room for. */
export function shortText(text: string, room: number): string {
  const line = plainText(text).replace(/\s+/g, " ").trim();
  const characters = Array.from(line);
  return characters.length <= room ? line : `${characters.slice(0, room - 1).join("")}…`;
}
