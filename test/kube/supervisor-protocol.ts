/**
 * What a test process and its supervisor say to each other over the IPC channel between them.
 *
 * The supervisor speaks first: it makes the directory and tells its path. After that each request gets exactly one
 * reply with its id, and the end of a process is told at once, before the reply to a request that caused it.
 */
export type SupervisorRequest =
  | { readonly action: 'start'; readonly id: number; readonly name: string; readonly file: string; readonly args: readonly string[] }
  /** Answered when the process is gone; for SIGSTOP and SIGCONT, when the signal is sent. */
  | { readonly action: 'kill'; readonly id: number; readonly name: string; readonly signal: NodeJS.Signals }
  /** Stops every process, the ones started first last, removes the directory and ends the supervisor. */
  | { readonly action: 'stop'; readonly id: number };

export type SupervisorNotice =
  | { readonly kind: 'directory'; readonly directory: string }
  | { readonly kind: 'reply'; readonly id: number; readonly pid?: number; readonly error?: string }
  | { readonly kind: 'exited'; readonly name: string; readonly code: number | null; readonly signal: NodeJS.Signals | null };
