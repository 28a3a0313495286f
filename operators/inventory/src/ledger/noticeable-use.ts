import type { MeasuredUse, NodeInventory } from '../model/node-inventory.ts';

/*
 * What is measured moves all the time, on every node. Readers are told of it where it differs noticeably from what they were last told, however small the steps
 * were in which it got there; and with whatever else changes of the node.
 */

/** Of the node's capacity. */
const share = 0.01;
const gpuPoints = 5;

/** Whether the node uses more or less processor or memory than the view says. */
export function isNodeUseNews(use: MeasuredUse['utilization'], told: NodeInventory | undefined): boolean {
  if (use === undefined) return false;
  if (use === 'none' || told?.utilization === undefined) return use !== (told?.utilization ?? 'none');
  const { cpuMillis, memoryBytes } = told.utilization;
  return (
    Math.abs(use.cpuMillis - cpuMillis) > share * told.cpu.capacity ||
    Math.abs(use.memoryBytes - memoryBytes) > share * told.memory.capacity
  );
}

/** Whether a card is busier or less busy than the view says, or whether that is known. */
export function isGpuUseNews(percent: MeasuredUse['gpuPercent'], told: NodeInventory | undefined): boolean {
  if (percent === undefined) return false;
  if (told === undefined) return true;
  return told.devices.some(({ id, utilization }) => {
    const now = percent.get(id);
    return now === undefined || utilization === undefined ? now !== utilization : Math.abs(now - utilization) >= gpuPoints;
  });
}
