import { both, fields, flag, listOf, pciId, required, text, whole } from './shape.ts';

const gpu = both(
  required({ pciAddress: text, vendorId: pciId, productId: pciId, health: required({ state: text }) }),
  fields({
    uuid: text,
    name: text,
    memoryBytes: whole,
    interface: text,
    driverVersion: text,
    cudaVersion: text,
    minor: whole,
    nvlinks: whole,
    nvlinkGroup: whole,
    numaNode: whole,
    mig: fields({
      enabled: flag,
      profiles: listOf(text),
      instances: listOf(both(required({ uuid: text, profile: text }), fields({ memoryBytes: whole }))),
    }),
    health: fields({ reason: text, code: text, since: text }),
  }),
);
const socket = required({ id: text, vendor: text, model: text, cores: whole, threads: whole });
const memoryModule = both(required({ sizeBytes: whole }), fields({ slot: text, type: text, speedMtps: whole, manufacturer: text }));
const disk = both(required({ name: text, kind: text, sizeBytes: whole }), fields({ model: text, serial: text }));
const nic = both(
  required({ name: text, mac: text }),
  fields({ pciAddress: text, driver: text, speedMbps: whole, isUp: flag, rdmaDevice: text }),
);
const facts = both(
  required({
    observedAt: text,
    machine: fields({ hostname: text, manufacturer: text, product: text, serial: text, systemUuid: text, kernel: text }),
  }),
  fields({
    cpu: required({ architecture: text, threads: whole, sockets: listOf(socket) }),
    memory: both(required({ totalBytes: whole }), fields({ modules: listOf(memoryModule) })),
    gpus: listOf(gpu),
    disks: listOf(disk),
    nics: listOf(nic),
    filesystems: listOf(
      both(
        required({ path: text, sizeBytes: whole, device: text }),
        fields({ usedBytes: whole, folderBytes: whole, holdsEphemeral: flag }),
      ),
    ),
    nodeUid: text,
    agentVersion: text,
    problems: listOf(text),
  }),
);
const status = fields({
  agentPort: whole,
  certificateFingerprint: text,
  devices: listOf(required({ resource: text, deviceId: text, namespace: text, pod: text })),
});

/** What is read of a NodeHardware. */
export const hardwareShape = both(required({ spec: facts }), fields({ status }));
