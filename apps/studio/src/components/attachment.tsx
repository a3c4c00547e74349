import { type ReactNode, useEffect, useState } from "react";
import { ask } from "../api/connection.ts";
import type { ShownFile } from "../log/block.ts";
import { Icon } from "../parts/icon.tsx";

/**
 * A file in a conversation. Those of this server are loaded with the person's credential; a picture from elsewhere is a link, because
 * loading it would tell somebody that it was looked at.
 */
export function Attachment({ file }: { readonly file: ShownFile }): ReactNode {
  const { url, mediaType, name } = file;
  const [, id] = /^(?:blob:|media:\/\/)(.+)$/.exec(url) ?? [];
  const [source, setSource] = useState<string>();
  const isImage = mediaType.startsWith("image/");
  useEffect(() => {
    if (id === undefined || !isImage) return;
    const control = new AbortController();
    let made: string | undefined;
    ask(`v1/blobs/${encodeURIComponent(id)}`, { signal: control.signal })
      .then((response) => response.blob())
      .then((blob) => {
        made = URL.createObjectURL(blob);
        setSource(made);
      })
      .catch(() => undefined);
    return () => {
      control.abort();
      if (made !== undefined) URL.revokeObjectURL(made);
    };
  }, [id, isImage]);
  if (source !== undefined)
    return <img src={source} alt={name} className="max-h-72 max-w-full rounded-lg border border-line" />;
  const isLink = /^https?:\/\//.test(url);
  const look = "inline-flex items-center gap-1.5 self-start rounded-md border border-line bg-ground px-2 py-1 text-sm";
  return isLink ? (
    <a href={url} target="_blank" rel="noopener noreferrer nofollow" className={`${look} text-accent underline`}>
      <Icon name="link" size={13} />
      {name}
    </a>
  ) : (
    <span className={look}>
      <Icon name="clip" size={13} />
      {name}
    </span>
  );
}
