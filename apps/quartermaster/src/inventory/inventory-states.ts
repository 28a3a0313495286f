import { type GpuDevice, GpuState, type Node, type Reason, Sellability } from '@quartermaster/api/inventory';
import { gpuFill, gpuState, nodeState, type SellState, type State, type StatedGpu } from '@quartermaster/api/states';

/** What the inventory says of a node, or of what it has. */
interface Sold {
  readonly sellability: Sellability;
  readonly reasons: readonly Pick<Reason, 'code'>[];
}

/** A state of a newer server is not known here either. */
export function sellState(sellability: Sellability): SellState {
  if (sellability === Sellability.SELLABLE) return 'sellable';
  return sellability === Sellability.HELD_BACK ? 'held-back' : 'unknown';
}

/** Whether anybody can tell what is left of its ephemeral storage. */
export const isDiskKnown = ({ sellability, conditions }: Pick<Node, 'sellability' | 'conditions'>): boolean =>
  sellState(sellability) !== 'unknown' && !conditions.some(({ code }) => code === 'VolumesUnread');

export const stateOfNode = ({ sellability, reasons }: Sold): State =>
  nodeState({ state: sellState(sellability), why: reasons.map(({ code }) => code) });

export function statedGpu({ state, holder, parts }: Pick<GpuDevice, 'state' | 'holder' | 'parts'>): StatedGpu {
  return { state: state === GpuState.HEALTHY ? 'healthy' : state === GpuState.QUARANTINED ? 'quarantined' : 'unknown', holder, parts };
}

export function stateOfGpu(device: Pick<GpuDevice, 'state' | 'holder' | 'parts'>, { sellability }: Pick<Sold, 'sellability'>): State {
  const stated = statedGpu(device);
  return gpuState({ ...stated, fill: gpuFill(stated, sellState(sellability)) });
}
