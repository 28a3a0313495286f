import { posix } from 'node:path';
import { StatusError } from '@quartermaster/kernel';
import type {
  FilesystemSize,
  FolderSize,
  MachineFileStat,
  MachineReader,
  StuckTool,
  ToolResult,
} from '../../src/discovery/machine/machine-reader.ts';
import { pathInRoot } from '../../src/discovery/machine/path-in-root.ts';

/** A text or bytes, a link (`{ link }`), or what reading it fails with. */
export type Entry = string | Uint8Array | { readonly link: string } | StatusError;

/** How a run ends, or will end. */
type ToolEnd = string | ToolResult | StatusError | Promise<ToolResult>;

export interface MemoryMachineOptions {
  /** absolute path -> what is there; folders exist through what is in them. */
  readonly files: Readonly<Record<string, Entry>>;
  /** `tool args` -> what it prints, or how it ends. */
  readonly tools?: Readonly<Record<string, ToolEnd>>;
  /** path -> filesystem, or what measuring it fails with */
  readonly filesystems?: Readonly<Record<string, FilesystemSize | StatusError>>;
  /** path -> what lies below it, or what counting it fails with */
  readonly folders?: Readonly<Record<string, FolderSize | StatusError>>;
}

/** A machine of texts. `files`, `tools`, `filesystems` and `folders` may be changed between two scans. */
export class MemoryMachine implements MachineReader {
  readonly files: Map<string, Entry>;
  readonly tools: Map<string, ToolEnd>;
  readonly filesystems: Map<string, FilesystemSize | StatusError>;
  readonly folders: Map<string, FolderSize | StatusError>;
  readonly toolCalls: string[] = [];
  stuck: StuckTool | undefined;

  constructor({ files, tools = {}, filesystems = {}, folders = {} }: MemoryMachineOptions) {
    this.files = new Map(Object.entries(files));
    this.tools = new Map(Object.entries(tools));
    this.filesystems = new Map(Object.entries(filesystems));
    this.folders = new Map(Object.entries(folders));
  }

  async readFile(path: string): Promise<string> {
    const found = await this.#file(path);
    return typeof found === 'string' ? found : Buffer.from(found).toString('utf8');
  }

  async readBytes(path: string): Promise<Uint8Array> {
    const found = await this.#file(path);
    return typeof found === 'string' ? Buffer.from(found) : found;
  }

  async readDirectory(path: string): Promise<readonly string[]> {
    const folder = await this.#resolve(path);
    const prefix = folder === '/' ? '/' : `${folder}/`;
    const names = [...this.files.keys()].flatMap((file) =>
      file.startsWith(prefix) ? [file.slice(prefix.length).split('/', 1)[0] ?? ''] : [],
    );
    if (names.length === 0) throw missing(path);
    return [...new Set(names)];
  }

  async stat(path: string): Promise<MachineFileStat> {
    const own = await this.#resolve(path, { keepLast: true });
    const found = this.files.get(own);
    if (found instanceof StatusError) throw found;
    if (typeof found === 'string' || found instanceof Uint8Array) return { kind: 'file', size: found.length };
    if (found !== undefined) return { kind: 'link', size: found.link.length };
    if ([...this.files.keys()].some((file) => file.startsWith(`${own}/`))) return { kind: 'directory', size: 0 };
    throw missing(path);
  }

  async readLink(path: string): Promise<string> {
    const found = this.files.get(await this.#resolve(path, { keepLast: true }));
    if (found !== undefined && typeof found === 'object' && 'link' in found) return found.link;
    throw missing(path);
  }

  async filesystemOf(path: string): Promise<FilesystemSize> {
    const found = this.filesystems.get(path) ?? missing(path);
    if (found instanceof StatusError) throw found;
    return found;
  }

  async folderSizeOf(path: string): Promise<FolderSize> {
    const found = this.folders.get(path) ?? missing(path);
    if (found instanceof StatusError) throw found;
    return found;
  }

  async runTool(name: string, args: readonly string[]): Promise<ToolResult> {
    const call = [name, ...args].join(' ');
    this.toolCalls.push(call);
    const found = this.tools.get(call);
    if (found instanceof StatusError) throw found;
    if (typeof found === 'string') return { status: 0, stdout: found, stderr: '' };
    if (found !== undefined) return await found;
    if ([...this.tools.keys()].some((known) => known.split(' ', 1)[0] === name))
      return { status: 2, stdout: '', stderr: `unknown: ${call}` };
    throw new StatusError('not_found', `${name} is not installed on this machine`);
  }

  stuckTool(): StuckTool | undefined {
    return this.stuck;
  }

  async #file(path: string): Promise<string | Uint8Array> {
    const found = this.files.get(await this.#resolve(path));
    if (found instanceof StatusError) throw found;
    if (typeof found === 'string' || found instanceof Uint8Array) return found;
    throw missing(path);
  }

  async #resolve(path: string, options: { readonly keepLast?: boolean } = {}): Promise<string> {
    const target = async (file: string): Promise<string | undefined> => {
      const found = this.files.get(file);
      return found !== undefined && typeof found === 'object' && 'link' in found ? found.link : undefined;
    };
    return await pathInRoot('/', path, target, options);
  }
}

const missing = (path: string): StatusError => new StatusError('not_found', `${path} does not exist`);

/** Files of a PCI device and its entry on the bus. `under` is the bridge that it hangs on. */
export function pciDevice(
  address: string,
  ids: { readonly vendor: string; readonly device: string; readonly class: string; readonly driver?: string; readonly numa?: number },
  more: Readonly<Record<string, Entry>> = {},
): Record<string, Entry> {
  const folder = `/sys/devices/pci0000:00/${address}`;
  const own: Record<string, Entry> = {
    vendor: `0x${ids.vendor}\n`,
    device: `0x${ids.device}\n`,
    class: `0x${ids.class}\n`,
    numa_node: `${ids.numa ?? -1}\n`,
    ...(ids.driver === undefined ? {} : { driver: { link: `../../../bus/pci/drivers/${ids.driver}` } }),
    ...more,
  };
  return {
    ...Object.fromEntries(Object.entries(own).map(([name, entry]) => [posix.join(folder, name), entry])),
    [`/sys/bus/pci/devices/${address}`]: { link: `../../../devices/pci0000:00/${address}` },
  };
}

/** A network card on a PCI device that exists already. */
export function netDevice(name: string, address: string, files: Readonly<Record<string, Entry>>): Record<string, Entry> {
  const folder = `/sys/devices/pci0000:00/${address}/net/${name}`;
  return {
    ...Object.fromEntries(Object.entries(files).map(([file, entry]) => [`${folder}/${file}`, entry])),
    [`${folder}/device`]: { link: `../../../${address}` },
    [`/sys/class/net/${name}`]: { link: `../../devices/pci0000:00/${address}/net/${name}` },
  };
}

export function x86CpuInfo(options: {
  readonly vendor: string;
  readonly model: string;
  readonly sockets: number;
  readonly cores: number;
  readonly threadsPerCore: number;
}): string {
  const { vendor, model, sockets, cores, threadsPerCore } = options;
  const perSocket = cores * threadsPerCore;
  return Array.from({ length: sockets * perSocket }, (_, index) =>
    [
      `processor\t: ${index}`,
      `vendor_id\t: ${vendor}`,
      'cpu family\t: 6',
      `model name\t: ${model}`,
      `physical id\t: ${Math.floor(index / cores) % sockets}`,
      `siblings\t: ${perSocket}`,
      `core id\t\t: ${index % cores}`,
      `cpu cores\t: ${cores}`,
      'flags\t\t: fpu lm',
      '',
      '',
    ].join('\n'),
  ).join('');
}

/** One structure of a firmware table, as bytes: header, formatted part, texts. */
export function smbiosStructure(type: number, handle: number, formatted: readonly number[], texts: readonly string[]): Uint8Array {
  const header = [type, formatted.length + 4, handle & 0xff, handle >> 8];
  const tail = texts.length === 0 ? [0, 0] : [...texts.flatMap((text) => [...Buffer.from(text), 0]), 0];
  return Uint8Array.from([...header, ...formatted, ...tail]);
}

/** A memory device (type 17) as firmware of version 3.2 writes it. */
export function memoryDevice(
  handle: number,
  module: { readonly slot: string; readonly sizeMiB: number; readonly type: number; readonly speed: number; readonly manufacturer: string },
): Uint8Array {
  const data = new DataView(new ArrayBuffer(0x28));
  const isLong = module.sizeMiB >= 0x7fff;
  data.setUint16(0x0c, isLong ? 0x7fff : module.sizeMiB, true);
  data.setUint8(0x10, 1);
  data.setUint8(0x12, module.type);
  data.setUint16(0x15, module.speed + 800, true);
  data.setUint8(0x17, 2);
  data.setUint32(0x1c, isLong ? module.sizeMiB : 0, true);
  data.setUint16(0x20, module.speed, true);
  return smbiosStructure(17, handle, [...new Uint8Array(data.buffer)].slice(4), [module.slot, module.manufacturer]);
}
