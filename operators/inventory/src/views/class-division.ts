import { noDivision } from '@quartermaster/api/states';
import type { Amount } from '../model/amount.ts';
import type { NodeInventory } from '../model/node-inventory.ts';
import type { StorageInventory } from '../model/storage-inventory.ts';
import { type DividedAmount, DivisionSum, divide, type Withholding, withholdingOf } from './division.ts';

const left = { kept: 'System', rest: 'System' };
const sellable: Withholding = { state: 'sellable', code: '' };

/** How a storage class divides. What lies on nodes divides as the rest of each node does: the space of a silent one is unknown. */
export function classDivision(storage: StorageInventory, nodeOf: (name: string) => NodeInventory | undefined): DividedAmount {
  const { amount, perNode, refusal } = storage;
  const refused: Withholding | undefined = refusal && { state: 'held-back', code: refusal.code };
  if (amount === undefined) {
    return { division: noDivision, why: refusal === undefined ? [] : [{ state: 'unknown', code: refusal.code, amount: 0, nodes: 0 }] };
  }
  if (perNode === undefined) {
    const { division, why } = divide(amount, refused ?? sellable, left);
    return { division, why: why.map((each) => ({ ...each, nodes: 0 })) };
  }
  const sum = new DivisionSum();
  for (const [name, each] of perNode) sum.add(divide(each, onNode(storage.class, refused, nodeOf(name)), left));
  return withUnplaced(sum.total(), amount, perNode);
}

function onNode(name: string, refused: Withholding | undefined, node: NodeInventory | undefined): Withholding {
  if (node === undefined) return { state: 'held-back', code: 'NodeGone' };
  const by = withholdingOf(node);
  if (by.state === 'unknown') return by;
  if (refused !== undefined) return refused;
  if (by.state === 'held-back' || node.storageClasses.includes(name)) return by;
  return { state: 'held-back', code: 'NotOfferedThere' };
}

/** Volumes that are promised and of which nobody knows yet on which node they will be take from what could be sold. */
function withUnplaced({ division, why }: DividedAmount, { allocated }: Amount, perNode: ReadonlyMap<string, Amount>): DividedAmount {
  const placed = [...perNode.values()].reduce((sum, each) => sum + each.allocated, 0);
  const taken = Math.min(Math.max(allocated - placed, 0), division.sellable);
  return { division: { ...division, allocated: division.allocated + taken, sellable: division.sellable - taken }, why };
}
