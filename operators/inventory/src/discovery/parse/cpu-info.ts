import type { CpuFacts, CpuSocket } from '@quartermaster/api/node-hardware';
import { armCore } from './arm-cores.ts';

/** Which socket and core a thread belongs to, for machines whose cpuinfo does not say so. */
export interface ThreadPlace {
  readonly socket: string;
  readonly core: string;
}

interface Thread {
  readonly index: string;
  readonly fields: ReadonlyMap<string, string>;
}

interface Tally {
  readonly vendor: string;
  readonly model: string;
  readonly coresSaid: number;
  readonly cores: Set<string>;
  threads: number;
}

/**
 * What /proc/cpuinfo says. `places` tells socket and core by thread number where the text does not (arm64); `architecture` is the answer when the text does not
 * give it away. Undefined when no thread is in the text.
 */
export function parseCpuInfo(
  text: string,
  options: { readonly places?: ReadonlyMap<string, ThreadPlace> | undefined; readonly architecture?: string | undefined } = {},
): CpuFacts | undefined {
  const threads = threadsOf(text);
  const first = threads[0];
  if (first === undefined) return undefined;
  const sockets = new Map<string, Tally>(); // socket id -> what is in it
  for (const { index, fields } of threads) {
    const place = options.places?.get(index);
    const id = fields.get('physical id') ?? place?.socket ?? '0';
    const tally = sockets.get(id) ?? newTally(fields);
    tally.threads += 1;
    tally.cores.add(fields.get('core id') ?? place?.core ?? index);
    sockets.set(id, tally);
  }
  return {
    architecture: architectureOf(first.fields) ?? options.architecture ?? 'unknown',
    threads: threads.length,
    sockets: [...sockets].map(socketOf).toSorted((a, b) => a.id.localeCompare(b.id, 'en', { numeric: true })),
  };
}

function threadsOf(text: string): Thread[] {
  const threads: { readonly index: string; readonly fields: Map<string, string> }[] = [];
  // Some arm kernels put what all threads share once, after the last thread.
  let fields = new Map<string, string>();
  for (const line of text.split('\n')) {
    const colon = line.indexOf(':');
    if (colon < 0) continue;
    const name = line.slice(0, colon).trim();
    const value = line.slice(colon + 1).trim();
    if (name === 'processor' && /^\d+$/.test(value)) {
      fields = new Map();
      threads.push({ index: value, fields });
    }
    if (name !== '' && !fields.has(name)) fields.set(name, value);
  }
  return threads;
}

function newTally(fields: ReadonlyMap<string, string>): Tally {
  const arm = armCore(fields.get('CPU implementer'), fields.get('CPU part'));
  const coresSaid = Number(fields.get('cpu cores') ?? '0');
  return {
    vendor: fields.get('vendor_id') ?? arm?.vendor ?? '',
    model: tidy(fields.get('model name') ?? arm?.model ?? fields.get('cpu') ?? fields.get('uarch') ?? ''),
    coresSaid: Number.isSafeInteger(coresSaid) && coresSaid > 0 ? coresSaid : 0,
    cores: new Set(),
    threads: 0,
  };
}

/** A machine with threads switched off says more cores than it shows: what runs is what counts. */
function socketOf([id, { vendor, model, coresSaid, cores, threads }]: [string, Tally]): CpuSocket {
  const counted = cores.size;
  return { id, vendor, model, cores: coresSaid > 0 && coresSaid <= threads ? Math.max(coresSaid, counted) : counted, threads };
}

function architectureOf(fields: ReadonlyMap<string, string>): string | undefined {
  if (fields.has('CPU implementer')) return Number(fields.get('CPU architecture') ?? '8') >= 8 ? 'arm64' : 'arm';
  if (fields.get('isa')?.startsWith('rv64') === true) return 'riscv64';
  if (fields.get('vendor_id')?.startsWith('IBM/S390') === true) return 's390x';
  if (fields.get('cpu')?.startsWith('POWER') === true) return 'ppc64le';
  return fields.has('vendor_id') && fields.has('cpu family') ? 'amd64' : undefined;
}

const tidy = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
