/** Where a front end finds a file. What the runtime keeps is named by `blob:` and `media:` handles no browser can open. */
export type FileUrl = (url: string) => string;
