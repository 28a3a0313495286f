/** A file of the machine: the records of its kernel's log that matter to discovery, as far as it still has them. */
export const kernelLogPath = '/dev/kmsg';

export interface MachineFileStat {
  readonly kind: 'file' | 'directory' | 'link';
  readonly size: number;
}

export interface FilesystemSize {
  readonly sizeBytes: number;
  /** Equal for two paths on one filesystem. */
  readonly device: string;
  /** All that unprivileged processes cannot write any more, whoever wrote it. */
  readonly usedBytes?: number | undefined;
}

/** What lies below a folder of volumes. */
export interface FolderSize {
  readonly bytes: number;
  /** Names of the volumes that hold too many files to look at, or some that cannot be seen: they are not among the bytes. */
  readonly uncounted?: readonly string[] | undefined;
}

export interface ToolResult {
  /** The exit status; null when a signal ended it. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A process that was killed and is still there: it waits in the kernel (state D), mostly for a device that does not answer. */
export interface StuckTool {
  readonly pid: number;
  /** When it was started, in milliseconds since the epoch. */
  readonly since: number;
}

/**
 * Everything that discovery may do on a machine: reading, never writing. Paths are absolute on that machine, and links are followed. What is not there
 * throws `not_found`; any other code means that it is there and could not be read, which is a different thing. Text that is no UTF-8 may
 * come out mangled but never throws. The last four are absent where a machine is only a tree of texts.
 */
export interface MachineReader {
  readFile(path: string): Promise<string>;
  /** Names, in any order. */
  readDirectory(path: string): Promise<readonly string[]>;
  /** Of the path itself: a link is not followed. */
  stat(path: string): Promise<MachineFileStat>;
  readLink(path: string): Promise<string>;
  readBytes?(path: string): Promise<Uint8Array>;
  filesystemOf?(path: string): Promise<FilesystemSize>;
  /** Not older than some minutes. */
  folderSizeOf?(path: string): Promise<FolderSize>;
  /** Runs a program of the machine by its bare name. `not_found` when the machine has none; `unavailable` when it took or said too much. */
  runTool?(name: string, args: readonly string[], signal?: AbortSignal): Promise<ToolResult>;
  /** Set while a tool cannot be run because an earlier run of it cannot be ended. */
  stuckTool?(name: string): StuckTool | undefined;
}
