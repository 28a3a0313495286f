import type { GpuHealth } from '@quartermaster/api/node-hardware';
import type { NvidiaInformation } from '../parse/nvidia-proc.ts';
import { type XidReport, xidText } from '../parse/nvidia-xid.ts';
import type { NvidiaToolFacts } from './read-nvidia-tool.ts';
import type { PciGpu } from './read-pci-gpus.ts';

export interface NvidiaEvidence {
  readonly card: PciGpu;
  /** Whether the driver is in the kernel at all. */
  readonly isLoaded: boolean;
  /** The cards of the driver; undefined when it shows no list. */
  readonly listed: ReadonlyMap<string, NvidiaInformation> | undefined;
  readonly information: NvidiaInformation | undefined;
  readonly tool: NvidiaToolFacts | 'absent' | 'failed';
  /** What the kernel's log has against it. */
  readonly xid?: XidReport | undefined;
  /** When the machine started, in milliseconds since the epoch. */
  readonly startedAt?: number | undefined;
}

/**
 * Whether a card works, by everything that speaks of it. Unhealthy needs evidence against it. A card that the driver lists and that no tool can be asked
 * about counts as healthy; one that a tool was asked about in vain is unknown.
 */
export function nvidiaHealth({ card, isLoaded, listed, information, tool, xid, startedAt }: NvidiaEvidence): GpuHealth {
  if (!isLoaded)
    return unknown(card.driver === undefined ? 'no driver is loaded for this card' : `the driver ${card.driver} reports no health`);
  if (card.driver !== undefined && card.driver !== 'nvidia') return unknown(`the card belongs to the driver ${card.driver}`);
  if (information?.isExcluded === true) return unhealthy('the NVIDIA driver is configured to exclude this card');
  if (xid !== undefined) return xidHealth(xid, card.address, startedAt);
  if (typeof tool !== 'string') {
    const complaint = tool.lost.get(card.address);
    if (complaint !== undefined) return unhealthy(`nvidia-smi cannot reach the card: ${complaint}`);
    const fault = tool.gpus.get(card.address)?.fault;
    if (fault !== undefined) return unhealthy(fault);
  }
  if (listed !== undefined && information === undefined) return unhealthy('the NVIDIA driver is loaded but does not list this card');
  if (tool === 'failed') return unknown('nvidia-smi did not answer');
  if (tool === 'absent') return information === undefined ? unknown('nvidia-smi is not installed') : { state: 'healthy' };
  return tool.gpus.has(card.address) ? { state: 'healthy' } : unknown('nvidia-smi does not show this card');
}

function xidHealth(xid: XidReport, address: string, startedAt: number | undefined): GpuHealth {
  const since = startedAt === undefined ? undefined : new Date(startedAt + xid.sinceStartMs).toISOString();
  return { state: 'unhealthy', reason: xidText(xid, address), code: 'XidError', since };
}

const unknown = (reason: string): GpuHealth => ({ state: 'unknown', reason });
const unhealthy = (reason: string): GpuHealth => ({ state: 'unhealthy', reason });
