import type { GpuFacts, HardwareFacts } from '@quartermaster/api/node-hardware';
import { shippedGpuDatabase } from '../src/gpu/gpu-database.ts';
import type { GpuKnowledge } from '../src/gpu/identify-gpu.ts';
import type { ObservedNode, ObservedPod } from '../src/model/observed.ts';

/* Nodes, pods and cards for tests of the ledger. */

export const gi = 2 ** 30;

export const knowledge: GpuKnowledge = { overrides: new Map(), database: shippedGpuDatabase(), pciNames: new Map() };

/** A ready node with 16 cores, 64 Gi of memory and 100 Gi of disk, and `gpus` by name. */
export function testNode(name: string, gpus: Readonly<Record<string, string>> = {}, more: Partial<ObservedNode> = {}): ObservedNode {
  const capacity = { cpu: '16', memory: '64Gi', 'ephemeral-storage': '100Gi', pods: '110', ...gpus };
  return {
    name,
    uid: `uid-of-${name}`,
    labels: {},
    unschedulable: false,
    deleting: false,
    taints: [],
    conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady' }],
    capacity,
    allocatable: capacity,
    ...more,
  };
}

export interface TestRequests {
  readonly cpuMillis?: number | undefined;
  readonly memoryBytes?: number | undefined;
  readonly ephemeralStorageBytes?: number | undefined;
  readonly ramBytes?: number | undefined;
  readonly extended?: Readonly<Record<string, number>> | undefined;
}

export function testPod(uid: string, node: string, requests: TestRequests = {}, more: Partial<ObservedPod> = {}): ObservedPod {
  const { cpuMillis = 0, memoryBytes = 0, ephemeralStorageBytes = 0, ramBytes = 0, extended = {} } = requests;
  return {
    uid,
    namespace: 'lease-1',
    name: uid,
    node,
    requests: { cpuMillis, memoryBytes, ephemeralStorageBytes, extended: new Map(Object.entries(extended)) },
    ramBytes,
    createdAt: 0,
    leaseLabels: {},
    ...more,
  };
}

export function testGpu(index: number, productId = '2330', more: Partial<GpuFacts> = {}): GpuFacts {
  return {
    pciAddress: `0000:0${index}:00.0`,
    vendorId: '10de',
    productId,
    uuid: `GPU-${index}`,
    minor: index,
    health: { state: 'healthy' },
    ...more,
  };
}

export function testHardware(gpus?: readonly GpuFacts[]): HardwareFacts {
  return { observedAt: '2026-01-01T00:00:00Z', agentVersion: 'test', machine: {}, gpus };
}
