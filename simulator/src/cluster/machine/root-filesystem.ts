export interface FileStat {
  readonly kind: 'file' | 'directory' | 'link';
  readonly size: number;
}

/** Reading a node's root filesystem. Paths are absolute; links are followed. Throws `not_found` naming the path. */
export interface RootFilesystem {
  readFile(path: string): Promise<string>;
  readBytes(path: string): Promise<Uint8Array>;
  /** Names, sorted. */
  readDirectory(path: string): Promise<readonly string[]>;
  /** Of the path itself: a link is not followed. */
  stat(path: string): Promise<FileStat>;
  /** The target, as it is written. Links in the folders above are followed. */
  readLink(path: string): Promise<string>;
}
