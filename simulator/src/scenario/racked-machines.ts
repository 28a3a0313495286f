import { buildHardware, type Hardware } from '../cluster/machine/hardware.ts';
import type { NodeSpec } from '../cluster/node/simulated-node.ts';
import type { Scenario } from './scenario.ts';

/** A machine of the datacenter, whether it is a node of the cluster or not. */
export interface RackedMachine {
  readonly name: string;
  /** A key of the scenario's hardware. */
  readonly kind: string;
  readonly rack: string;
  readonly hardware: Hardware;
  readonly isNode: boolean;
}

/** Those of the nodes first, in their order, then those that are none. */
export function* rackedMachines(
  { racks, hardware, datacenter, seed }: Scenario,
  nodes: readonly NodeSpec[],
): Generator<RackedMachine, void> {
  const places = racks.flatMap(({ name: rack, nodes: groups }) =>
    groups.flatMap(({ hardware: kind, count }) => Array.from({ length: count }, () => ({ kind, rack }))),
  );
  for (const [index, node] of nodes.entries()) {
    const place = places[index];
    if (place !== undefined) yield { name: node.name, ...place, hardware: node.hardware, isNode: true };
  }
  for (const { prefix, hardware: kind, rack, count } of datacenter.hosts) {
    const spec = hardware[kind];
    for (let number = 1; spec !== undefined && number <= count; number += 1) {
      const name = `${prefix}-${number}`;
      yield { name, kind, rack, hardware: buildHardware(spec, name, seed), isNode: false };
    }
  }
}
