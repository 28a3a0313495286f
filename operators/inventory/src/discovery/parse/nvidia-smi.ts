import { interfaceName } from '../../gpu/model-name.ts';
import { gpuUuid } from './nvidia-proc.ts';
import { pciAddress } from './pci.ts';

/** What is asked of `nvidia-smi --query-gpu`. Old drivers do not know all of them and refuse the whole question then. */
export const gpuQueryFields: readonly string[] = [
  'pci.bus_id',
  'uuid',
  'name',
  'memory.total',
  'driver_version',
  'compute_cap',
  'mig.mode.current',
  'ecc.errors.uncorrected.volatile.total',
  'remapped_rows.pending',
  'remapped_rows.failure',
  'retired_pages.pending',
  'gpu_recovery_action',
];

/** Lines of `--format=csv,noheader,nounits` as field -> text. A line of another length is none of ours. */
export function parseGpuQuery(text: string, fields: readonly string[]): ReadonlyMap<string, string>[] {
  return text.split('\n').flatMap((line) => {
    const values = line.split(', ').map((value) => value.trim());
    return values.length === fields.length ? [new Map(fields.map((field, index) => [field, values[index] ?? '']))] : [];
  });
}

/** The field that this driver does not know, out of its refusal. */
export function unknownField(refusal: string): string | undefined {
  return /Field "([^"]{1,100})" is not a valid field/.exec(refusal)?.[1];
}

/** One card as the tool describes it. Undefined when the line does not say which card it is. */
export interface SmiGpu {
  readonly pciAddress: string;
  readonly uuid?: string | undefined;
  readonly name?: string | undefined;
  readonly memoryBytes?: number | undefined;
  readonly driverVersion?: string | undefined;
  readonly computeCapability?: string | undefined;
  readonly isMigEnabled?: boolean | undefined;
  /** What is wrong with it, for people; undefined when the tool finds nothing. */
  readonly fault?: string | undefined;
}

export function smiGpu(fields: ReadonlyMap<string, string>): SmiGpu | undefined {
  const address = pciAddress(fields.get('pci.bus_id'));
  if (address === undefined) return undefined;
  const text = (field: string): string | undefined => known(fields.get(field));
  const mebibytes = wholeNumber(text('memory.total'));
  const mig = text('mig.mode.current');
  return {
    pciAddress: address,
    uuid: gpuUuid(fields.get('uuid')),
    name: text('name'),
    memoryBytes: mebibytes ? mebibytes * 2 ** 20 : undefined,
    driverVersion: text('driver_version'),
    computeCapability: /^\d{1,2}\.\d{1,2}$/.exec(text('compute_cap') ?? '')?.[0],
    isMigEnabled: mig === 'Enabled' || mig === 'Disabled' ? mig === 'Enabled' : undefined,
    fault: faultOf(fields),
  };
}

function faultOf(fields: ReadonlyMap<string, string>): string | undefined {
  const broken = [...fields].find(([, value]) => /ERR!|GPU is lost|GPU requires reset|Unknown Error/i.test(value));
  if (broken !== undefined) return `nvidia-smi cannot read ${broken[0]}: ${broken[1].replaceAll(/[[\]]/g, '').slice(0, 120)}`;
  const errors = wholeNumber(known(fields.get('ecc.errors.uncorrected.volatile.total')));
  if (errors !== undefined && errors > 0) return `${errors} uncorrected ECC errors since the driver was loaded`;
  if (fields.get('remapped_rows.failure') === 'Yes') return 'the memory has more bad rows than it can replace';
  if (fields.get('remapped_rows.pending') === 'Yes') return 'bad memory rows are replaced at the next reset of the GPU';
  if (fields.get('retired_pages.pending') === 'Yes') return 'bad memory pages are retired at the next reset of the GPU';
  const action = known(fields.get('gpu_recovery_action'));
  return action === undefined || /^none$/i.test(action) ? undefined : `the driver recommends: ${action.slice(0, 120)}`;
}

/** Cards that the driver has but cannot reach, as the tool complains: address -> what it says. */
export function parseLostGpus(text: string): ReadonlyMap<string, string> {
  const lost = new Map<string, string>();
  for (const [, address, reason = ''] of text.matchAll(/device handle for (?:GPU\s?\d*:?\s*)?([0-9a-f:.]{12,16}): ([^\n]{1,200})/gi)) {
    const found = pciAddress(address);
    if (found !== undefined) lost.set(found, reason.trim());
  }
  return lost;
}

/** The newest CUDA version that the driver runs, from the header of the plain output. */
export function parseCudaVersion(text: string): string | undefined {
  return /CUDA(?: UMD)? Version\s*:\s*(\d{1,3}\.\d{1,3})/.exec(text)?.[1];
}

/** Values in brackets are the tool's ways to say that there is none. */
export function known(value: string | undefined): string | undefined {
  return value === undefined || value === '' || /^\[.*\]$|^N\/A$/.test(value) ? undefined : value.slice(0, 256);
}

export function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** Active NVLinks by GPU UUID, from `nvidia-smi nvlink --status`. A card without NVLink is not in it. */
export function parseNvlinkStatus(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>(); // uuid -> links
  let uuid: string | undefined;
  for (const line of text.split('\n')) {
    const card = /^GPU \d+:.*\(UUID: (GPU-[0-9a-f-]{8,64})\)/i.exec(line)?.[1];
    if (card !== undefined) uuid = card;
    else if (uuid !== undefined && /^\s+Link \d+: \d+(\.\d+)? GB\/s/.test(line)) counts.set(uuid, (counts.get(uuid) ?? 0) + 1);
  }
  return counts;
}

/** How a card is built in, as far as the driver's name for it tells: `SXM4`, `SXM`, `PCIe`. */
export function gpuInterface(name: string | undefined): string | undefined {
  return interfaceName(name ?? '') || undefined;
}
