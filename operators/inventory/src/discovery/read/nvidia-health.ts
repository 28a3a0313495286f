import type { GpuHealth } from '@quartermaster/api/node-hardware';
import type { StuckTool } from '../machine/machine-reader.ts';
import type { NvidiaInformation } from '../parse/nvidia-proc.ts';
import type { NvidiaToolAnswer } from './read-nvidia-tool.ts';
import type { PciGpu } from './read-pci-gpus.ts';

export interface NvidiaEvidence {
  readonly card: PciGpu;
  /** Whether the driver is in the kernel at all. */
  readonly isLoaded: boolean;
  /** The cards of the driver; undefined when it shows no list. */
  readonly listed: ReadonlyMap<string, NvidiaInformation> | undefined;
  readonly information: NvidiaInformation | undefined;
  readonly tool: NvidiaToolAnswer;
  /** A run of the tool that cannot be ended. */
  readonly stuck?: StuckTool | undefined;
}

/** Of a health that the tool is still being asked about: what was known before holds meanwhile. */
export const pendingCode = 'Pending';

/**
 * Whether a card works, by everything that speaks of it. Unhealthy needs evidence against it. A card that the driver lists and that no tool can be asked
 * about counts as healthy; one that a tool was asked about in vain is unknown. What the kernel's log says counts apart.
 */
export function nvidiaHealth({ card, isLoaded, listed, information, tool, stuck }: NvidiaEvidence): GpuHealth {
  if (!isLoaded)
    return unknown(card.driver === undefined ? 'no driver is loaded for this card' : `the driver ${card.driver} reports no health`);
  if (card.driver !== undefined && card.driver !== 'nvidia') return unknown(`the card belongs to the driver ${card.driver}`);
  if (information?.isExcluded === true) return unhealthy('the NVIDIA driver is configured to exclude this card');
  if (stuck !== undefined) return stuckHealth(stuck);
  if (typeof tool !== 'string') {
    const complaint = tool.lost.get(card.address);
    if (complaint !== undefined) return unhealthy(`nvidia-smi cannot reach the card: ${complaint}`);
    const fault = tool.gpus.get(card.address)?.fault;
    if (fault !== undefined) return unhealthy(fault);
  }
  if (listed !== undefined && information === undefined) return unhealthy('the NVIDIA driver is loaded but does not list this card');
  if (tool === 'late') return { state: 'unknown', reason: 'nvidia-smi has not answered yet', code: pendingCode };
  if (tool === 'failed') return unknown('nvidia-smi did not answer');
  if (tool === 'absent') return information === undefined ? unknown('nvidia-smi is not installed') : { state: 'healthy' };
  return tool.gpus.has(card.address) ? { state: 'healthy' } : unknown('nvidia-smi does not show this card');
}

/** The driver does not say which card it waits for, and it lets nobody begin to use any of them. */
function stuckHealth({ pid, since }: StuckTool): GpuHealth {
  const reason = `nvidia-smi (process ${pid}) waits in the driver and cannot be ended, and neither would a new container with this card: restart the machine`;
  return { state: 'unhealthy', reason, code: 'DriverStuck', since: new Date(since).toISOString() };
}

const unknown = (reason: string): GpuHealth => ({ state: 'unknown', reason });
const unhealthy = (reason: string): GpuHealth => ({ state: 'unhealthy', reason });
