import { describe, expect, it } from 'vitest';
import { loadScenario, shippedScenarios } from './load-scenario.ts';
import { parseScenario } from './parse-scenario.ts';
import { expandScenario } from './world.ts';

const base = `seed: 1
hardware:
  plain: { cpu: epyc-7402, sockets: 1, memoryGiB: 64 }
racks:
  - { name: rack-1, nodes: [{ prefix: node, hardware: plain, count: 2 }] }
datacenter:
`;

const problemOf = (datacenter: string): string => {
  try {
    parseScenario(`${base}${datacenter}`, 'test.yaml');
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return 'accepted';
};

describe('the datacenter of a scenario', () => {
  it.each([
    ['hardware that is not defined', '  hosts: [{ prefix: spare, hardware: odd, rack: rack-1, count: 1 }]', '"odd" is not under hardware'],
    ['a rack that is not defined', '  hosts: [{ prefix: spare, hardware: plain, rack: rack-9, count: 1 }]', '"rack-9" is not under racks'],
    ['the prefix of nodes', '  hosts: [{ prefix: node, hardware: plain, rack: rack-1, count: 1 }]', '"node" is used already'],
    [
      'a template that is not defined',
      '  tenants: [{ name: a, clusters: [{ name: c, template: t }] }]',
      '"t" is not under datacenter.templates',
    ],
    [
      'a node set that the template has not',
      '  templates: [{ name: t, title: T, nodeSets: { workers: { hardware: plain, size: 1 } } }]\n  tenants: [{ name: a, clusters: [{ name: c, template: t, nodeSets: { others: 1 } }] }]',
      '"others" is not under the node sets of t',
    ],
  ])('refuses %s', (_what, text, message) => {
    expect(problemOf(text)).toContain(message);
  });

  it('has the machines of the nodes, and those in store', () => {
    const text = `${base}  hosts: [{ prefix: spare, hardware: plain, rack: rack-1, count: 2 }]\n`;
    const world = expandScenario(parseScenario(text, 'test.yaml'));
    const machines = [...world.machines()];
    expect(machines.map(({ name, isNode, rack }) => [name, isNode, rack])).toEqual([
      ['node-1', true, 'rack-1'],
      ['node-2', true, 'rack-1'],
      ['spare-1', false, 'rack-1'],
      ['spare-2', false, 'rack-1'],
    ]);
    expect(machines[0]?.hardware).toBe(world.nodes[0]?.hardware);
    expect(new Set(machines.map(({ hardware }) => hardware.systemUuid)).size).toBe(4);
  });

  it('is in every scenario that comes with the simulator, with enough hosts for its tenants', async () => {
    for (const name of await shippedScenarios()) {
      const { datacenter } = await loadScenario(name);
      expect(datacenter.tenants.length).toBeGreaterThanOrEqual(2);
      const free = new Map<string, number>(); // kind -> hosts
      for (const { hardware, count } of datacenter.hosts) free.set(hardware, (free.get(hardware) ?? 0) + count);
      for (const { template, nodeSets } of datacenter.tenants.flatMap(({ clusters }) => clusters)) {
        for (const [set, { hardware, size }] of Object.entries(
          datacenter.templates.find((each) => each.name === template)?.nodeSets ?? {},
        )) {
          free.set(hardware, (free.get(hardware) ?? 0) - (nodeSets[set] ?? size));
        }
      }
      expect([...free].filter(([, count]) => count < 0)).toEqual([]);
    }
  });
});
