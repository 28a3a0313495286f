import type { GpuUse } from './gpu-use.ts';
import type { Gpu } from './hardware.ts';
import { cudaVersion, driverVersion, type MigProfile, nvidiaModel } from './nvidia-models.ts';

/** How a program of a machine ended. */
export interface ToolResult {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A card as the driver knows it. */
export interface NvidiaCard {
  readonly gpu: Gpu;
  /** Fell off the bus: the driver knows of it and cannot reach it. */
  readonly isLost: boolean;
  readonly use: GpuUse;
}

/** A value with the unit that `nounits` leaves out. */
type Value = string | readonly [text: string, unit: string];

type Field = (card: NvidiaCard, index: number) => Value;

// field of --query-gpu -> its value; the names are the tool's own
const fields: ReadonlyMap<string, Field> = new Map<string, Field>([
  ['index', (_card, index) => String(index)],
  ['name', ({ gpu }) => gpu.productName],
  ['uuid', ({ gpu }) => gpu.uuid],
  ['pci.bus_id', ({ gpu }) => busId(gpu)],
  ['driver_version', () => driverVersion],
  ['compute_cap', ({ gpu }) => nvidiaModel(gpu).computeCapability],
  ['mig.mode.current', ({ gpu }) => (nvidiaModel(gpu).migProfiles === undefined ? '[N/A]' : 'Disabled')],
  ['ecc.errors.uncorrected.volatile.total', ({ gpu }) => (hasEcc(gpu) ? '0' : '[N/A]')],
  ['remapped_rows.pending', ({ gpu }) => (hasEcc(gpu) ? 'No' : '[N/A]')],
  ['remapped_rows.failure', ({ gpu }) => (hasEcc(gpu) ? 'No' : '[N/A]')],
  ['retired_pages.pending', () => '[N/A]'],
  ['gpu_recovery_action', () => 'None'],
  ['memory.total', ({ gpu }) => [String(nvidiaModel(gpu).memoryMiB), 'MiB']],
  ['memory.used', (card) => [String(usedMiB(card)), 'MiB']],
  ['utilization.gpu', ({ use }) => [String(use.percent), '%']],
  ['temperature.gpu', ({ use }) => String(use.celsius)],
  ['power.draw', (card) => [watts(card).toFixed(2), 'W']],
]);

/** The tool of NVIDIA's driver, as far as it tells what there is and how busy it is. */
export function nvidiaSmi(cards: readonly NvidiaCard[], args: readonly string[]): ToolResult {
  const [first = '', second = ''] = args;
  const query = optionOf(args, '--query-gpu');
  const reached = cards.filter(({ isLost }) => !isLost);
  if (query !== undefined) return told(cards, queryGpus(reached, query, optionOf(args, '--format') ?? ''));
  if (first === '') return told(cards, summary(reached));
  if (first === '-L' || first === '--list-gpus') return told(cards, ok(reached.map(listed).join('')));
  if (first === 'nvlink' && /^(-s|--status)$/.test(second)) return told(cards, ok(reached.map(nvlinks).join('')));
  if (first === 'topo' && /^(-m|--matrix)$/.test(second)) return told(cards, ok(topology(reached)));
  if (first === 'mig' && second === '-lgip') return migProfiles(reached);
  return {
    status: 2,
    stdout: `Invalid combination of input arguments: the simulated nvidia-smi knows --query-gpu, -L, nvlink --status, topo -m and mig -lgip, not ${args.join(' ')}\n`,
    stderr: '',
  };
}

const ok = (stdout: string): ToolResult => ({ status: 0, stdout, stderr: '' });

/** NVML's code of a card that is lost. */
const lostStatus = 15;

/** Complains of cards that cannot be reached, before what it says of the others. */
function told(cards: readonly NvidiaCard[], result: ToolResult): ToolResult {
  const lost = cards.filter(({ isLost }) => isLost);
  if (lost.length === 0 || result.status !== 0) return result;
  const complaints = lost.map(
    ({ gpu }) => `Unable to determine the device handle for GPU${gpu.pciAddress}: GPU is lost.  Reboot the system to recover this GPU\n`,
  );
  return { ...result, status: lostStatus, stdout: complaints.join('') + result.stdout };
}

function queryGpus(cards: readonly NvidiaCard[], query: string, format: string): ToolResult {
  const names = query.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !fields.has(name));
  if (unknown !== undefined) return { status: 2, stdout: `Field "${unknown}" is not a valid field to query.\n\n`, stderr: '' };
  const options = format.split(',').map((option) => option.trim());
  if (!options.includes('csv')) return { status: 2, stdout: 'Option --format is needed: csv[,noheader][,nounits]\n', stderr: '' };
  const isBare = options.includes('nounits');
  const rows = cards.map((card, index) => names.map((name) => fields.get(name)?.(card, index) ?? ''));
  const lines = rows.map((row) => row.map((value) => valueText(value, isBare)).join(', '));
  const header = names.map((name, column) => headerText(name, rows[0]?.[column] ?? '')).join(', ');
  return ok([...(options.includes('noheader') ? [] : [header]), ...lines].map((line) => `${line}\n`).join(''));
}

const valueText = (value: Value, isBare: boolean): string => (typeof value === 'string' ? value : isBare ? value[0] : value.join(' '));

const headerText = (name: string, value: Value): string => (typeof value === 'string' ? name : `${name} [${value[1]}]`);

function summary(cards: readonly NvidiaCard[]): ToolResult {
  const rule = `+${'-'.repeat(89)}+`;
  const line = (text: string): string => `| ${text.padEnd(87)} |`;
  const rows = cards.flatMap((card, index) => {
    const { gpu, use } = card;
    const memory = `${usedMiB(card)}MiB / ${nvidiaModel(gpu).memoryMiB}MiB`;
    const power = `${Math.round(watts(card))}W / ${nvidiaModel(gpu).maxWatts}W`;
    return [
      line(`${String(index).padStart(3)}  ${gpu.productName.padEnd(34)} ${busId(gpu)}   ${hasEcc(gpu) ? '0' : 'N/A'}`),
      line(`     ${use.celsius}C  ${power.padEnd(16)} ${memory.padEnd(24)} ${use.percent}%  Default`),
      rule,
    ];
  });
  const versions = `NVIDIA-SMI ${driverVersion}    Driver Version: ${driverVersion}    CUDA Version: ${cudaVersion}`;
  const note = 'Simulated GPUs: what is said of their use is made up';
  return ok([rule, line(versions), line(note), rule, ...rows].map((text) => `${text}\n`).join(''));
}

const listed = ({ gpu }: NvidiaCard, index: number): string => `GPU ${index}: ${gpu.productName} (UUID: ${gpu.uuid})\n`;

function nvlinks(card: NvidiaCard, index: number): string {
  const { nvlink } = nvidiaModel(card.gpu);
  if (nvlink === undefined) return '';
  const links = Array.from({ length: nvlink.links }, (_, link) => `\t Link ${link}: ${nvlink.gigabytesPerSecond} GB/s\n`);
  return listed(card, index) + links.join('');
}

/** Cards of a model with NVLink are behind the same switches; all others meet at the processor. */
function topology(cards: readonly NvidiaCard[]): string {
  const linksOf = (card: NvidiaCard): number => nvidiaModel(card.gpu).nvlink?.links ?? 0;
  const cell = (a: NvidiaCard, b: NvidiaCard): string => {
    if (a === b) return ' X ';
    const links = Math.min(linksOf(a), linksOf(b));
    return links === 0 || a.gpu.model !== b.gpu.model ? 'SYS' : `NV${links}`;
  };
  const header = `\t\u001b[4m${cards.map((_, index) => `GPU${index}`).join('\t')}\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\u001b[0m\n`;
  const rows = cards.map((a, index) => `GPU${index}\t${cards.map((b) => cell(a, b)).join('\t')}\t\t\t\tN/A\n`);
  return header + rows.join('');
}

function migProfiles(cards: readonly NvidiaCard[]): ToolResult {
  const rule = `+${'-'.repeat(79)}+\n`;
  const rows = cards.flatMap(({ gpu }, index) => (nvidiaModel(gpu).migProfiles ?? []).map((profile) => profileRow(index, profile)));
  if (rows.length === 0) return { status: 6, stdout: 'No MIG-supported devices found.\n', stderr: '' };
  const line = (text: string): string => `| ${text.padEnd(77)} |\n`;
  const header = [
    line('GPU instance profiles:'),
    line('GPU   Name               ID    Instances   Memory     P2P    SM    DEC   ENC'),
    line('                               Free/Total   GiB              CE    JPEG  OFA'),
    `|${'='.repeat(79)}|\n`,
  ];
  return ok(rule + header.join('') + rows.map((row) => line(row) + rule).join(''));
}

const profileRow = (index: number, { name, id, instances, memoryGiB, multiprocessors }: MigProfile): string =>
  `${String(index).padStart(3)}  MIG ${name.padEnd(15)}${String(id).padStart(3)}     0/${instances}        ${memoryGiB.padEnd(8)}   No   ${String(multiprocessors).padStart(4)}     0     0`;

/** The value of `--name=value` or `--name value`. */
function optionOf(args: readonly string[], name: string): string | undefined {
  const index = args.findIndex((arg) => arg === name || arg.startsWith(`${name}=`));
  if (index < 0) return undefined;
  return args[index] === name ? args[index + 1] : args[index]?.slice(name.length + 1);
}

const usedMiB = ({ gpu, use }: NvidiaCard): number => Math.floor(nvidiaModel(gpu).memoryMiB * use.memoryShare);

const watts = ({ gpu, use }: NvidiaCard): number => nvidiaModel(gpu).maxWatts * Math.min(use.loadShare, 1);

/** The tool writes a domain of eight digits, in capitals. */
const busId = ({ pciAddress }: Gpu): string => `0000${pciAddress.toUpperCase()}`;

/** Cards for players have no error correction. */
const hasEcc = ({ productName }: Gpu): boolean => !productName.includes('GeForce');
