import { kinds, resourceType } from '@quartermaster/kube';
import type { StorageClass } from '@quartermaster/kube/shapes';
import { buildHardware } from '../cluster/machine/hardware.ts';
import type { NodeSpec } from '../cluster/node/simulated-node.ts';
import { cephObjects } from './ceph.ts';
import { type RackedMachine, rackedMachines } from './racked-machines.ts';
import { type RunningPods, runningPods } from './running-pods.ts';
import type { Scenario } from './scenario.ts';
import { workloadObjects } from './workload-objects.ts';
import { openDefinition, type WorldObject } from './world-object.ts';

/** What a scenario comes to. The same file gives the same world, object for object. */
export interface World {
  readonly nodes: readonly NodeSpec[];
  /** Every machine of the datacenter: those of the nodes first, then those that are no nodes. */
  machines(): Generator<RackedMachine, void>;
  readonly namespaces: readonly string[];
  /** Everything but the nodes and the pods that run from the beginning, in an order in which it can be created. */
  objects(): Generator<WorldObject, void>;
  /** Pods that run from the beginning, bound and with their status, made as they are asked for: there may be very many. */
  runningPods(): Generator<RunningPods, void>;
}

const rackLabel = 'topology.quartermaster.dev/rack';
const zoneLabel = 'topology.kubernetes.io/zone';

const ipAddressPools = resourceType({
  group: 'metallb.io',
  version: 'v1beta1',
  kind: 'IPAddressPool',
  plural: 'ipaddresspools',
  namespaced: true,
});

export function expandScenario(scenario: Scenario): World {
  const nodes = expandNodes(scenario);
  const namespaces = scenario.tenants.flatMap(({ prefix, count }) => Array.from({ length: count }, (_, index) => `${prefix}-${index + 1}`));
  return {
    nodes,
    namespaces,
    machines: () => rackedMachines(scenario, nodes),
    *objects() {
      yield* storageObjects(scenario);
      yield* loadBalancerObjects(scenario);
      yield* tenantObjects(scenario);
    },
    runningPods: () => runningPods(scenario, nodes),
  };
}

function expandNodes({ racks, hardware, seed }: Scenario): NodeSpec[] {
  const nodes: NodeSpec[] = [];
  const numbers = new Map<string, number>(); // prefix -> nodes so far
  for (const rack of racks) {
    for (const group of rack.nodes) {
      const spec = hardware[group.hardware];
      if (spec === undefined) continue;
      for (let made = 0; made < group.count; made += 1) {
        const number = (numbers.get(group.prefix) ?? 0) + 1;
        numbers.set(group.prefix, number);
        const name = `${group.prefix}-${number}`;
        nodes.push({
          name,
          index: nodes.length + 1,
          hardware: buildHardware(spec, name, seed),
          labels: { [zoneLabel]: rack.zone, [rackLabel]: rack.name, ...group.labels },
          taints: group.taints,
          maxPods: group.maxPods,
        });
      }
    }
  }
  return nodes;
}

function* storageObjects({ storage }: Scenario): Generator<WorldObject, void> {
  for (const { name, provisioner, bindingMode, reclaimPolicy, isDefault, labels, parameters } of storage.classes) {
    const annotations = isDefault ? { 'storageclass.kubernetes.io/is-default-class': 'true' } : {};
    const object: StorageClass = {
      metadata: { name, labels, annotations },
      provisioner,
      parameters,
      reclaimPolicy,
      volumeBindingMode: bindingMode,
      allowVolumeExpansion: true,
    };
    yield { type: kinds.storageClasses, object };
  }
  if (storage.ceph !== undefined) yield* cephObjects(storage.ceph);
}

function* loadBalancerObjects({ loadBalancer }: Scenario): Generator<WorldObject, void> {
  if (loadBalancer.pools.length === 0) return;
  yield { type: kinds.namespaces, object: { metadata: { name: 'metallb-system' } } };
  yield { type: kinds.customResourceDefinitions, object: openDefinition(ipAddressPools) };
  for (const { name, addresses } of loadBalancer.pools) {
    const object = { metadata: { namespace: 'metallb-system', name }, spec: { addresses, autoAssign: true } };
    yield { type: ipAddressPools, object };
  }
}

function* tenantObjects(scenario: Scenario): Generator<WorldObject, void> {
  for (const { prefix, count, labels, workloads } of scenario.tenants) {
    for (let index = 1; index <= count; index += 1) {
      const namespace = `${prefix}-${index}`;
      yield { type: kinds.namespaces, object: { metadata: { name: namespace, labels } } };
      for (const workload of workloads) yield* workloadObjects(namespace, workload);
    }
  }
}
