import type { MessageInitShape } from '@bufbuild/protobuf';
import { CardAssignment, type CardGroupSchema, type PlannedCardsSchema, type PlanSchema } from '@quartermaster/api/cluster';
import type { InventoryKnowledge } from '../model/knowledge.ts';
import type { Plan, PlannedCards } from '../placement/plan.ts';
import type { CardGroup } from '../placement/stock-facts.ts';

export type GenerationMessage = { readonly epoch: string; readonly sequence: bigint } | undefined;

export const generationMessage = (generation: InventoryKnowledge['generation']): GenerationMessage => generation && { ...generation };

/** `generation`: of the inventory by which it was made, where that is known. */
export function planMessage({ units, ports, ips }: Plan, generation?: GenerationMessage): MessageInitShape<typeof PlanSchema> {
  return {
    units: units.map((unit) => ({
      id: unit.id,
      cpuMillis: BigInt(unit.cpuMillis),
      memoryBytes: BigInt(unit.memoryBytes),
      ephemeralStorageBytes: BigInt(unit.ephemeralBytes),
      volumes: unit.volumes.map(({ name, class: storageClass, bytes }) => ({ name, storageClass, bytes: BigInt(bytes) })),
      replicas: unit.replicas.map(({ node, uid, cards }) => ({ node, nodeUid: uid, cards: cards && cardsMessage(cards) })),
    })),
    ports,
    leasedIps: ips,
    generation,
  };
}

export function groupMessage({ vendor, model, interface: form, memoryBytes }: CardGroup): MessageInitShape<typeof CardGroupSchema> {
  return { vendor, model, interface: form, memoryBytes: BigInt(memoryBytes) };
}

function cardsMessage({ resource, count, group, groups }: PlannedCards): MessageInitShape<typeof PlannedCardsSchema> {
  const assignedBy = group === undefined ? CardAssignment.PLUGIN : CardAssignment.CLAIM;
  return { resource, count, assignedBy, groups: groups.map(groupMessage) };
}
