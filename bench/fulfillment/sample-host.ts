import { create } from '@bufbuild/protobuf';
import { type Host, HostSchema, HostState } from '@quartermaster/api/private';

export const hostCount = 100_000;
export const classCount = 10;
export const clusterCount = 100;
const hostsOfRack = 20;

export const hostId = (index: number): string => `host-${String(index).padStart(6, '0')}`;
export const classId = (index: number): string => `c${index % classCount}`;

export const clusterId = (index: number): string => `cluster-${index % clusterCount}`;

/** Every class has as many assigned hosts as free ones. */
const isAssigned = (index: number): boolean => Math.floor(index / classCount) % 2 === 1;

export const sourceName = 'bench';

/** What updates change: the title says nothing of which machine it is, the rack does. */
export const measuredFields = ['title', 'rack'] as const;
export type MeasuredField = (typeof measuredFields)[number];

/** What the measures of lists ask for, by the share of all hosts that match in percent: the filter, and for the plain design the same in SQL. */
export const filters: Readonly<Record<1 | 10 | 50, ReadonlyMap<string, string>>> = {
  1: new Map(assignedClusters().map((id) => [`this.status.cluster == "${id}"`, `data->'status'->>'cluster' = '${id}'`])),
  10: new Map(
    Array.from({ length: classCount }, (_, i) => [`this.spec.class == "${classId(i)}"`, `data->'spec'->>'class' = '${classId(i)}'`]),
  ),
  50: new Map([
    ['this.status.cluster == ""', `coalesce(data->'status'->>'cluster', '') = ''`],
    ['this.status.cluster != ""', `coalesce(data->'status'->>'cluster', '') <> ''`],
  ]),
};

/** Those that have hosts: a hundredth of all of them each. */
function assignedClusters(): string[] {
  return Array.from({ length: clusterCount }, (_, index) => index)
    .filter(isAssigned)
    .map(clusterId);
}

/** A host as a synchronizer brings it in. */
export function sampleHost(index: number): Host {
  const hex = index.toString(16).padStart(6, '0');
  const mac = (nic: number): string => `02:0${nic}:00:${hex.slice(0, 2)}:${hex.slice(2, 4)}:${hex.slice(4)}`;
  return create(HostSchema, {
    id: hostId(index),
    metadata: { name: `node-${index}`, tenants: ['shared'], labels: { row: String(index % 40) } },
    spec: {
      bmc: {
        url: `redfish+https://10.${index >> 16}.${(index >> 8) & 255}.${index & 255}/redfish/v1/Systems/1`,
        user: 'operator',
        password: `p-${hex}`,
      },
      rack: rackOf(index),
      class: classId(index),
      bootMac: mac(0),
      title: `GPU server ${index}`,
      serial: `SN${hex}`,
      systemUuid: `00000000-0000-4000-8000-000000${hex}`,
      nics: [
        { mac: mac(0), name: 'eno1', speedMbps: 25_000n },
        { mac: mac(1), name: 'ens1f0', speedMbps: 200_000n },
      ],
      rackUnit: 1 + (index % hostsOfRack) * 2,
      rackHeight: 2,
    },
    status: {
      state: HostState.READY,
      cluster: isAssigned(index) ? clusterId(index) : '',
      source: { name: sourceName, id: sourceIdOf(index) },
    },
  });
}

export const sourceIdOf = (index: number): string => `device-${index}`;

function rackOf(index: number): string {
  return `r${String(Math.floor(index / hostsOfRack)).padStart(4, '0')}`;
}
