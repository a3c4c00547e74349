/** How files of a type begin; a space stands for any character. */
const BEGINNINGS: readonly (readonly [mediaType: string, beginning: string])[] = [
  ["image/png", "\x89PNG"],
  ["image/jpeg", "\xff\xd8\xff"],
  ["image/gif", "GIF8"],
  ["image/webp", "RIFF    WEBP"],
];

/** The type of a picture by how it begins, which cannot lie; undefined for what begins like none. */
export function typeByContent(content: Uint8Array): string | undefined {
  return BEGINNINGS.find(([, beginning]) =>
    [...beginning].every((character, index) => character === " " || character.charCodeAt(0) === content[index]),
  )?.[0];
}

/** What a picture is: by its content, else by what its server says, else what most servers make. */
export function mediaTypeOf(content: Uint8Array, format: string | undefined): string {
  const named = format !== undefined && /^[a-z0-9.+-]{1,20}$/.test(format) ? format : "png";
  return typeByContent(content) ?? `image/${named}`;
}
