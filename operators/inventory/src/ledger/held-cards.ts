import type { Reason } from '../model/node-inventory.ts';
import type { Card, CardPool } from './cards/gpu-cards.ts';
import type { GpuHold } from './health-signals.ts';
import type { NodeEntry } from './node-entry.ts';

/** Of a node whose agent has reported what nobody could read. */
export const unreadReport: GpuHold = {
  reason: {
    code: 'GpuReportUnread',
    message:
      'The report of its discovery agent could not be read, and any card may be in quarantine by it: look at what is stale or left out.',
  },
  faults: [],
};

/** Why no card of the node may be sold, or undefined: a fault that names no card that we know may be any card's. */
export function holdOfAll(pools: readonly CardPool[], holds: readonly GpuHold[]): Reason | undefined {
  const cards = pools.flatMap((pool) => pool.cards);
  const isVague = ({ faults }: GpuHold): boolean =>
    faults.length === 0 || faults.some((fault) => !cards.some((card) => isNamed(card, fault)));
  return holds.find(isVague)?.reason;
}

/** The same pools, where cards that are held back are unhealthy. A card that is so already keeps its own reason. */
export function holdCards(pools: readonly CardPool[], holds: readonly GpuHold[]): readonly CardPool[] {
  if (holds.length === 0) return pools;
  const all = holdOfAll(pools, holds);
  return pools.map((pool) => ({
    ...pool,
    cards: pool.cards.map((card): Card => {
      if (card.health === 'unhealthy') return card;
      const reason = holds.find((hold) => names(hold, card))?.reason ?? all;
      return reason === undefined ? card : { ...card, health: 'unhealthy', reason };
    }),
  }));
}

/** Whether a resource stands for slices of cards that may not be sold: nobody says of which card a slice is. */
export function isHeldPiece(resource: string, { pools, holds, gpusHeld }: Pick<NodeEntry, 'pools' | 'holds' | 'gpusHeld'>): boolean {
  if (holds.length === 0 || !/^(nvidia\.com\/mig-|gpu\.nvidia\.com$)/.test(resource)) return false;
  return (
    gpusHeld !== undefined || pools.some(({ cards }) => cards.some((card) => card.isPartitioned && holds.some((hold) => names(hold, card))))
  );
}

const names = ({ faults }: GpuHold, card: Card): boolean => faults.some((fault) => isNamed(card, fault));

function isNamed({ id, pciAddress }: Card, fault: readonly string[]): boolean {
  return fault.includes(id) || (pciAddress !== undefined && fault.includes(pciAddress.replace(/\.[0-7]$/, '')));
}
