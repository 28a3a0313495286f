/** Whether what is shown is still being confirmed. */
export type Link =
  | { readonly isLive: true }
  /** `lastContactAt` in milliseconds since the epoch; undefined when nothing was ever heard. */
  | { readonly isLive: false; readonly lastContactAt: number | undefined; readonly reason: string };
