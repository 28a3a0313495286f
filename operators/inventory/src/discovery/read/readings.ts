import { posix } from 'node:path';
import { codeOf, messageOf } from '@quartermaster/kernel';
import type { FilesystemSize, FolderSize, MachineReader, StuckTool, ToolResult } from '../machine/machine-reader.ts';

const maxProblems = 64;

/**
 * Reads a machine for one scan. What is not there is undefined. What is there and cannot be read is undefined, too, and a line in `problems`. Nothing
 * throws, except that the scan was aborted.
 */
export class Readings {
  readonly #reader: MachineReader;
  readonly #signal: AbortSignal | undefined;
  readonly #problems = new Set<string>();

  constructor(reader: MachineReader, signal?: AbortSignal) {
    this.#reader = reader;
    this.#signal = signal;
  }

  /** Sorted, so that two scans of one machine say the same. */
  get problems(): readonly string[] {
    return [...this.#problems].toSorted().slice(0, maxProblems);
  }

  get canRunTools(): boolean {
    return this.#reader.runTool !== undefined;
  }

  get canMeasureFilesystems(): boolean {
    return this.#reader.filesystemOf !== undefined;
  }

  problem(line: string): void {
    this.#problems.add(
      line
        .replaceAll(/[\p{Cc}\s]+/gu, ' ')
        .trim()
        .slice(0, 300),
    );
  }

  async text(path: string): Promise<string | undefined> {
    return await this.#attempt(async () => await this.#reader.readFile(path));
  }

  /** Like `text`, for files whose refusal is an answer: the speed of a card without a link. */
  async quietText(path: string): Promise<string | undefined> {
    try {
      this.#signal?.throwIfAborted();
      return await this.#reader.readFile(path);
    } catch {
      this.#signal?.throwIfAborted();
      return undefined;
    }
  }

  async bytes(path: string): Promise<Uint8Array | undefined> {
    return await this.#attempt(async () => await this.#reader.readBytes?.(path));
  }

  /** In natural order: mc2 before mc10. */
  async names(path: string): Promise<readonly string[] | undefined> {
    const found = await this.#attempt(async () => await this.#reader.readDirectory(path));
    return found?.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  }

  async link(path: string): Promise<string | undefined> {
    return await this.#attempt(async () => await this.#reader.readLink(path));
  }

  /** The last part of a link's target: the name of a driver. */
  async linkName(path: string): Promise<string | undefined> {
    const name = posix.basename((await this.link(path)) ?? '');
    return name === '' ? undefined : name;
  }

  async exists(path: string): Promise<boolean> {
    return (await this.#attempt(async () => await this.#reader.stat(path))) !== undefined;
  }

  /** `absent`: nothing is there. `failed`: something is, and cannot be measured. */
  async filesystem(path: string): Promise<FilesystemSize | 'absent' | 'failed'> {
    this.#signal?.throwIfAborted();
    try {
      return (await this.#reader.filesystemOf?.(path)) ?? 'absent';
    } catch (error) {
      return this.#failure(error);
    }
  }

  /** `pending`: it could not be counted now, perhaps because that takes longer. Undefined where nothing is, or nobody will count it. */
  async folderSize(path: string): Promise<FolderSize | 'pending' | undefined> {
    this.#signal?.throwIfAborted();
    try {
      return await this.#reader.folderSizeOf?.(path);
    } catch (error) {
      this.#signal?.throwIfAborted();
      if (codeOf(error) === 'unavailable') return 'pending';
      this.#failure(error);
      return undefined;
    }
  }

  /** `absent`: there is no such tool. `failed`: it could not finish. A tool that fails by itself is a result. */
  async tool(name: string, args: readonly string[]): Promise<ToolResult | 'absent' | 'failed'> {
    this.#signal?.throwIfAborted();
    if (this.#reader.runTool === undefined) return 'absent';
    try {
      return await this.#reader.runTool(name, args, this.#signal);
    } catch (error) {
      return this.#failure(error);
    }
  }

  stuckTool(name: string): StuckTool | undefined {
    return this.#reader.stuckTool?.(name);
  }

  /** What a tool prints; nothing when it does not run. */
  async toolText(name: string, args: readonly string[]): Promise<string> {
    const result = await this.tool(name, args);
    return typeof result === 'string' ? '' : result.stdout;
  }

  async #attempt<T>(read: () => Promise<T>): Promise<T | undefined> {
    this.#signal?.throwIfAborted();
    try {
      return await read();
    } catch (error) {
      this.#failure(error);
      return undefined;
    }
  }

  #failure(error: unknown): 'absent' | 'failed' {
    this.#signal?.throwIfAborted();
    if (codeOf(error) === 'not_found') return 'absent';
    this.problem(messageOf(error));
    return 'failed';
  }
}
