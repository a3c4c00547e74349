/** What the process of a version says to `reprise dev`. */
export type FromServer =
  /** A file whose change asks for another version. */
  | { readonly type: "uses"; readonly files: readonly string[] }
  /** Its code is loaded and its agents are sound: it can take over. */
  | { readonly type: "loaded" }
  | { readonly type: "listening"; readonly port: number };

/** What `reprise dev` says to it. */
export type ToServer =
  /** The version before is gone: open the store and listen. The port is the one that version had. */
  { readonly type: "open"; readonly port?: number } | { readonly type: "stop" };

/** Set for the processes that `reprise dev` starts. */
export const DEV_VARIABLE = "REPRISE_DEV_SERVER";
