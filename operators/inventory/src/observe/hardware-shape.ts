import type { GpuFacts, HardwareFacts, MemoryModule, NodeHardware } from '@quartermaster/api/node-hardware';
import { flag, integer, listOf, object, oneOf, optional, pciId, type Shape, text, whole } from './shape.ts';

const gpu = object<GpuFacts>({
  pciAddress: text,
  vendorId: pciId,
  productId: pciId,
  uuid: optional(text),
  name: optional(text),
  memoryBytes: optional(whole),
  interface: optional(text),
  driver: optional(text),
  driverVersion: optional(text),
  cudaVersion: optional(text),
  computeCapability: optional(text),
  numaNode: optional(whole),
  minor: optional(whole),
  nvlinks: optional(whole),
  nvlinkGroup: optional(whole),
  mig: optional(
    object({
      enabled: flag,
      instances: listOf(object({ uuid: text, profile: text, memoryBytes: optional(whole) })),
      profiles: optional(listOf(text)),
    }),
  ),
  health: object({
    state: oneOf('healthy', 'unhealthy', 'unknown'),
    reason: optional(text),
    code: optional(text),
    since: optional(text),
    xids: optional(listOf(integer)),
    bootId: optional(text),
  }),
});
const memoryModule = object<MemoryModule>({
  slot: optional(text),
  type: optional(text),
  sizeBytes: whole,
  speedMtps: optional(whole),
  manufacturer: optional(text),
});
const facts = object<HardwareFacts>({
  observedAt: text,
  agentVersion: text,
  nodeUid: optional(text),
  machine: object({
    hostname: optional(text),
    manufacturer: optional(text),
    product: optional(text),
    serial: optional(text),
    systemUuid: optional(text),
    kernel: optional(text),
  }),
  cpu: optional(
    object({
      architecture: text,
      threads: whole,
      sockets: listOf(object({ id: text, vendor: text, model: text, cores: whole, threads: whole })),
    }),
  ),
  memory: optional(object({ totalBytes: whole, modules: optional(listOf(memoryModule)) })),
  gpus: optional(listOf(gpu)),
  disks: optional(
    listOf(
      object({
        name: text,
        kind: oneOf('nvme', 'ssd', 'hdd', 'virtual'),
        sizeBytes: whole,
        model: optional(text),
        serial: optional(text),
      }),
    ),
  ),
  nics: optional(
    listOf(
      object({
        name: text,
        mac: text,
        pciAddress: optional(text),
        driver: optional(text),
        speedMbps: optional(whole),
        isUp: optional(flag),
        rdmaDevice: optional(text),
      }),
    ),
  ),
  filesystems: optional(
    listOf(
      object({
        path: text,
        sizeBytes: whole,
        device: text,
        usedBytes: optional(whole),
        folderBytes: optional(whole),
        holdsEphemeral: optional(flag),
      }),
    ),
  ),
  problems: optional(listOf(text)),
});

/** What is read of a NodeHardware. */
export const hardwareShape: Shape<Pick<NodeHardware, 'spec' | 'status'>> = object({
  spec: facts,
  status: optional(
    object({
      agentPort: optional(whole),
      certificateFingerprint: optional(text),
      devices: optional(listOf(object({ resource: text, deviceId: text, namespace: text, pod: text, container: text }))),
    }),
  ),
});
