import type { CpuFacts, FilesystemFacts, GpuFacts, HardwareFacts } from '@quartermaster/api/node-hardware';
import type { MachineReader } from './machine/machine-reader.ts';
import { discoverHardware } from './read/discover-hardware.ts';

export interface PrintOnceOptions {
  readonly reader: MachineReader;
  readonly agentVersion: string;
  readonly json: boolean;
  readonly filesystemPaths?: readonly string[] | undefined;
  /** Takes the text, in one or more pieces. */
  readonly out: { write(text: string): unknown };
  readonly signal?: AbortSignal | undefined;
}

/** Reads this machine and prints what it is made of. The exit code: 0, or 1 when not even the processors could be read. */
export async function printOnce({ reader, agentVersion, json, filesystemPaths, out, signal }: PrintOnceOptions): Promise<number> {
  const facts = await discoverHardware(reader, { agentVersion, filesystemPaths, signal });
  out.write(json ? `${JSON.stringify(facts, undefined, 2)}\n` : hardwareText(facts));
  return facts.cpu === undefined ? 1 : 0;
}

type Row = readonly string[];

/** For people: a section per kind of part. */
export function hardwareText(facts: HardwareFacts): string {
  const { machine, cpu, memory, gpus, disks, nics, filesystems, problems } = facts;
  const sections = [
    section('machine', [
      ['host', machine.hostname ?? '-'],
      ['product', [machine.manufacturer, machine.product].filter((part) => part !== undefined).join(' ') || '-'],
      ['serial', machine.serial ?? '-'],
      ['system uuid', machine.systemUuid ?? '-'],
      ['kernel', machine.kernel ?? '-'],
    ]),
    section('processors', cpuRows(cpu)),
    section('memory', [
      ['total', memory === undefined ? 'unknown' : size(memory.totalBytes)],
      ...(memory?.modules ?? []).map(({ slot, type, sizeBytes, speedMtps, manufacturer }) => [
        slot ?? '-',
        size(sizeBytes),
        type ?? '-',
        speedMtps === undefined ? '-' : `${speedMtps} MT/s`,
        manufacturer ?? '-',
      ]),
    ]),
    section('gpus', gpus?.map(gpuRow) ?? unknown),
    section(
      'disks',
      disks?.map(({ name, kind, sizeBytes, model, serial }) => [name, kind, size(sizeBytes), model ?? '-', serial ?? '-']) ?? unknown,
    ),
    section('network', nics?.map((nic) => [nic.name, nic.mac, speed(nic.speedMbps), nic.driver ?? '-', nic.rdmaDevice ?? '-']) ?? unknown),
    section('filesystems', filesystems?.map(filesystemRow) ?? []),
    section('problems', problems?.map((line) => [line]) ?? []),
  ];
  return sections.filter((text) => text !== '').join('\n');
}

const unknown: readonly Row[] = [['unknown']];

function filesystemRow({ path, sizeBytes, usedBytes, device }: FilesystemFacts): Row {
  return [path, size(sizeBytes), usedBytes === undefined ? '-' : `${size(usedBytes)} used`, device];
}

function cpuRows(cpu: CpuFacts | undefined): readonly Row[] {
  if (cpu === undefined) return unknown;
  return cpu.sockets.map(({ id, model, vendor, cores, threads }) => [
    `socket ${id}`,
    model === '' ? vendor : model,
    `${cores} cores`,
    `${threads} threads`,
    cpu.architecture,
  ]);
}

function gpuRow(gpu: GpuFacts): Row {
  const driver = [gpu.driver, gpu.driverVersion].filter((part) => part !== undefined).join(' ');
  return [
    gpu.pciAddress,
    `${gpu.vendorId}:${gpu.productId}`,
    gpu.name ?? '-',
    gpu.memoryBytes === undefined ? '-' : size(gpu.memoryBytes),
    gpu.interface ?? '-',
    driver === '' ? 'no driver' : driver,
    gpu.cudaVersion === undefined ? '-' : `CUDA ${gpu.cudaVersion}`,
    gpu.uuid ?? '-',
    gpu.health.reason === undefined ? gpu.health.state : `${gpu.health.state}: ${gpu.health.reason}`,
  ];
}

function section(title: string, rows: readonly Row[]): string {
  if (rows.length === 0) return '';
  const widths = rows.reduce<number[]>((max, row) => row.map((cell, i) => Math.max(cell.length, max[i] ?? 0)), []);
  const line = (row: Row): string => `  ${row.map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd(widths[i] ?? 0))).join('  ')}\n`;
  return `${title}\n${rows.map(line).join('')}`;
}

const speed = (mbps: number | undefined): string => (mbps === undefined ? '-' : mbps >= 1000 ? `${mbps / 1000} Gb/s` : `${mbps} Mb/s`);

function size(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1);
  return `${Number((bytes / 1024 ** power).toFixed(1))} ${units[power] ?? 'B'}`;
}
