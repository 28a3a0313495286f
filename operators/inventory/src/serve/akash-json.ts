import type { JsonValue } from '@bufbuild/protobuf';
import type { Cluster, Node, ResourcePair } from '@quartermaster/api/akash-inventory';

/** The cluster with the keys that readers of `/v1/inventory` know: those of Go's encoding, not of protobuf's. */
export function clusterJson({ nodes, storage }: Cluster): JsonValue {
  return {
    nodes: nodes.map(nodeJson),
    storage: storage.map(({ quantity, info }) => ({
      quantity: pairJson(quantity),
      info: { class: info?.class ?? '', iops: info?.iops ?? '' },
    })),
  };
}

export function nodeJson({ name, resources, capabilities }: Node): JsonValue {
  return {
    name,
    resources: {
      cpu: {
        quantity: pairJson(resources?.cpu?.quantity),
        info: listJson(resources?.cpu?.info, ({ id, vendor, model, vcores }) => ({ id, vendor, model, vcores })),
      },
      memory: {
        quantity: pairJson(resources?.memory?.quantity),
        info: listJson(resources?.memory?.info, ({ vendor, type, totalSize, speed }) => ({ vendor, type, total_size: totalSize, speed })),
      },
      gpu: {
        quantity: pairJson(resources?.gpu?.quantity),
        info: listJson(resources?.gpu?.info, (gpu) => ({
          vendor: gpu.vendor,
          vendor_id: gpu.vendorId,
          name: gpu.name,
          model_id: gpu.modelid,
          interface: gpu.interface,
          memory_size: gpu.memorySize,
        })),
      },
      ephemeral_storage: pairJson(resources?.ephemeralStorage),
      volumes_attached: pairJson(resources?.volumesAttached),
      volumes_mounted: pairJson(resources?.volumesMounted),
    },
    capabilities: { storage_classes: capabilities?.storageClasses ?? [] },
  };
}

/** Go writes a list without entries as null. */
function listJson<T>(list: readonly T[] | undefined, json: (each: T) => JsonValue): JsonValue {
  return list === undefined || list.length === 0 ? null : list.map(json);
}

function pairJson(pair: ResourcePair | undefined): JsonValue {
  return {
    allocatable: pair?.allocatable?.string ?? '0',
    allocated: pair?.allocated?.string ?? '0',
    capacity: pair?.capacity?.string ?? '0',
  };
}
