import { constants, type Stats } from 'node:fs';
import { lstat, open, readdir, stat, statfs } from 'node:fs/promises';
import { posix } from 'node:path';
import { type Clock, StatusError, systemClock } from '@quartermaster/kernel';
import { isXidRecord } from '../parse/nvidia-xid.ts';
import { BoundedAccess } from './bounded-access.ts';
import { FolderSizes } from './folder-size.ts';
import { KernelLog } from './kernel-log.ts';
import { linkTarget } from './link-target.ts';
import {
  type FilesystemSize,
  type FolderSize,
  kernelLogPath,
  type MachineFileStat,
  type MachineReader,
  type StuckTool,
  type ToolResult,
} from './machine-reader.ts';
import { pathInRoot } from './path-in-root.ts';
import type { RunProgramOptions } from './run-program.ts';
import { ToolRunner } from './tool-runner.ts';

export interface HostMachineOptions {
  /** Where the machine's root filesystem is mounted; `/` unless given. */
  readonly root?: string | undefined;
  /** Largest file that is read. The longest real one, /proc/cpuinfo of a machine with 1 000 threads, has about 2 MB. */
  readonly maxFileBytes?: number | undefined;
  /** How long one access may take: a device that hangs must not hold up the others. */
  readonly timeoutMs?: number | undefined;
  /** How long a tool may take. Drivers that initialise 16 cards for each question need a minute and more; 2 min unless given. */
  readonly toolTimeoutMs?: number | undefined;
  /** How long a killed tool may take to be gone, which is nothing unless it waits in the kernel; 5 s unless given. */
  readonly toolGoneMs?: number | undefined;
  readonly maxToolOutputBytes?: number | undefined;
  /** Search path for tools; the one of this process unless given. */
  readonly searchPath?: string | undefined;
  /** How a tool is killed that takes too long. */
  readonly kill?: RunProgramOptions['kill'];
  readonly folderSizes?: Pick<FolderSizes, 'of' | 'end'> | undefined;
  readonly clock?: Clock | undefined;
}

/** The machine that this process runs on. Read-only; never follows a link out of its root; bounded in size and time. */
export class HostMachine implements MachineReader {
  readonly #root: string;
  readonly #maxFileBytes: number;
  readonly #bounded: BoundedAccess;
  readonly #tools: ToolRunner;
  readonly #kernelLog = new KernelLog(isXidRecord);
  readonly #folderSizes: Pick<FolderSizes, 'of' | 'end'>;

  constructor(options: HostMachineOptions = {}) {
    this.#root = posix.normalize(options.root ?? '/');
    this.#maxFileBytes = options.maxFileBytes ?? 8 * 2 ** 20;
    const clock = options.clock ?? systemClock;
    this.#bounded = new BoundedAccess(clock, options.timeoutMs ?? 10_000);
    this.#folderSizes = options.folderSizes ?? new FolderSizes({ clock });
    this.#tools = new ToolRunner({
      root: this.#root,
      searchPath: options.searchPath ?? process.env['PATH'] ?? '',
      limits: {
        timeoutMs: options.toolTimeoutMs ?? 120_000,
        maxOutputBytes: options.maxToolOutputBytes ?? 4 * 2 ** 20,
        goneMs: options.toolGoneMs ?? 5_000,
      },
      kill: options.kill,
      clock,
    });
  }

  async readFile(path: string): Promise<string> {
    const log = path === kernelLogPath ? await this.#access(path, async (file) => this.#kernelLog.read(file)) : undefined;
    return log ?? (await this.#bytes(path)).toString('utf8');
  }

  /** Gives back what it keeps open, and breaks off what takes long. Reading begins anew. */
  close(): void {
    this.#kernelLog.close();
    this.#folderSizes.end();
  }

  async readBytes(path: string): Promise<Uint8Array> {
    return await this.#bytes(path);
  }

  async readDirectory(path: string): Promise<readonly string[]> {
    return await this.#access(path, async (file) => await readdir(file));
  }

  async stat(path: string): Promise<MachineFileStat> {
    const found = await this.#access(path, async (file) => await lstat(file), { keepLast: true });
    return { kind: kindOf(found), size: found.size };
  }

  async readLink(path: string): Promise<string> {
    const target = await this.#access(path, linkTarget, { keepLast: true });
    if (target === undefined) throw new StatusError('not_found', `${path} is not a link`);
    return target;
  }

  async filesystemOf(path: string): Promise<FilesystemSize> {
    return await this.#access(path, async (file) => {
      const [size, { dev }] = await Promise.all([statfs(file), stat(file)]);
      const [sizeBytes, freeBytes] = [size.blocks * size.bsize, size.bavail * size.bsize];
      return { sizeBytes, device: deviceText(dev), usedBytes: sizeBytes - freeBytes };
    });
  }

  /** A folder that takes longer than one access may is told of when it is done: at the next time. */
  async folderSizeOf(path: string): Promise<FolderSize> {
    // Under a name of its own: a count that takes long is no reason not to measure the filesystem.
    const size = await this.#access(path, async (file) => await this.#folderSizes.of(file), { what: `the content of ${path}` });
    if (size === undefined) throw new StatusError('failed_precondition', `${path} has too much in it to be counted, or cannot be read`);
    return size;
  }

  async runTool(name: string, args: readonly string[], signal?: AbortSignal): Promise<ToolResult> {
    return await this.#tools.run(name, args, signal);
  }

  stuckTool(name: string): StuckTool | undefined {
    return this.#tools.stuck(name);
  }

  async #bytes(path: string): Promise<Buffer> {
    return await this.#access(path, async (file) => {
      // Opening a pipe or a device must neither wait nor do anything.
      const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
      try {
        if (!(await handle.stat()).isFile()) throw new StatusError('not_found', `${path} is not a file`);
        return await readAll(handle, path, this.#maxFileBytes);
      } finally {
        await handle.close();
      }
    });
  }

  async #access<T>(path: string, read: (file: string) => Promise<T>, options: AccessOptions = {}): Promise<T> {
    try {
      return await this.#bounded.run(options.what ?? path, async () =>
        read(this.#root === '/' ? path : await pathInRoot(this.#root, path, linkTarget, options)),
      );
    } catch (error) {
      throw failure(path, error);
    }
  }
}

interface AccessOptions {
  readonly keepLast?: boolean;
  /** What is read, as far as reading it may hang; the path unless given. */
  readonly what?: string;
}

interface ReadableHandle {
  read(buffer: Buffer, offset: number, length: number, position: null): Promise<{ readonly bytesRead: number }>;
}

/** Files of /proc and /sys have no size that could be trusted: they are read until they end. */
async function readAll(handle: ReadableHandle, path: string, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for (let total = 0; ; ) {
    const chunk = Buffer.allocUnsafe(64 * 1024);
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, null);
    if (bytesRead === 0) return Buffer.concat(chunks);
    total += bytesRead;
    if (total > maxBytes) throw new StatusError('unavailable', `${path} has more than ${maxBytes} bytes`);
    chunks.push(chunk.subarray(0, bytesRead));
  }
}

function kindOf(found: Stats): MachineFileStat['kind'] {
  if (found.isSymbolicLink()) return 'link';
  return found.isDirectory() ? 'directory' : 'file';
}

/** As Linux packs the two numbers of a device into one. */
function deviceText(device: number): string {
  const packed = BigInt(device);
  const major = ((packed >> 8n) & 0xfffn) | ((packed >> 32n) & ~0xfffn);
  const minor = (packed & 0xffn) | ((packed >> 12n) & ~0xffn & 0xffffffffn);
  return `${major}:${minor}`;
}

/** Without the system's own message, which names the file as this process sees it, not as the machine does. */
function failure(path: string, error: unknown): StatusError {
  if (error instanceof StatusError) return error;
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown error';
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
    case 'EISDIR':
    case 'ENODEV':
    case 'ENXIO':
      return new StatusError('not_found', `${path} does not exist`);
    case 'EACCES':
    case 'EPERM':
      return new StatusError('permission_denied', `permission denied reading ${path}: run as root`);
    default:
      return new StatusError('unavailable', `${path} cannot be read: ${code}`);
  }
}
