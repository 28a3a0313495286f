import { PassThrough } from 'node:stream';
import type { ShellStreams } from '../shell-session.ts';

/** The streams of a process at a terminal, or not, and what was written to them. */
export function fakeShell({ isTTY = false }: { readonly isTTY?: boolean } = {}) {
  const modes: boolean[] = [];
  const written = { out: '', err: '' };
  const stdin = Object.assign(new PassThrough(), { isTTY, isRaw: false, setRawMode: (isRaw: boolean) => modes.push(isRaw) });
  const size = { columns: 100, rows: 30 };
  const resized = new Set<() => void>();
  const stdout = {
    isTTY,
    get columns() {
      return size.columns;
    },
    get rows() {
      return size.rows;
    },
    write: (bytes: Uint8Array | string) => (written.out += Buffer.from(bytes as Uint8Array).toString()),
    on: (_event: 'resize', listener: () => void) => resized.add(listener),
    off: (_event: 'resize', listener: () => void) => resized.delete(listener),
  };
  const streams: ShellStreams = {
    stdin,
    stdout,
    stderr: { write: (bytes) => (written.err += Buffer.from(bytes as Uint8Array).toString()) },
  };
  return {
    streams,
    stdin,
    written,
    /** What the terminal was told: true for raw. */
    modes,
    resize(columns: number, rows: number): void {
      Object.assign(size, { columns, rows });
      for (const listener of resized) listener();
    },
    get listeners(): number {
      return resized.size + stdin.listenerCount('data');
    },
  };
}
