import { renameSync, rmSync, writeFileSync } from 'node:fs';

export interface WriteOptions {
  /** For the owner alone unless given. */
  readonly mode?: number | undefined;
  /** Where the text is before it is whole; beside the file unless given. */
  readonly draft?: string | undefined;
}

/** Writes a file in one step: whoever reads it meanwhile, or after a crash, finds the old text or the new one. */
export function writeWhole(file: string, text: string, { mode = 0o600, draft = `${file}.${process.pid}` }: WriteOptions = {}): void {
  rmSync(draft, { force: true });
  writeFileSync(draft, text, { mode });
  renameSync(draft, file);
}
