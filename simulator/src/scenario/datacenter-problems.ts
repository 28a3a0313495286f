import type { Scenario } from './scenario.ts';

/** What is wrong in a scenario, and where. */
export interface Problem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Names in the datacenter that mean nothing, or two things. */
export function datacenterProblems({ datacenter, hardware, racks }: Scenario): Problem[] {
  const { hosts, templates, tenants } = datacenter;
  const rackNames = racks.map(({ name }) => name);
  const prefixes = new Set(racks.flatMap(({ nodes }) => nodes.map(({ prefix }) => prefix)));
  const problems: Problem[] = [];
  const mustBe = (path: Problem['path'], value: string, known: readonly string[], place: string): void => {
    if (known.includes(value)) return;
    problems.push({ path, message: `"${value}" is not under ${place}: define it, or use ${known.join(', ') || 'none'}` });
  };
  hosts.forEach(({ prefix, hardware: kind, rack }, index) => {
    const path = ['datacenter', 'hosts', index];
    mustBe([...path, 'hardware'], kind, Object.keys(hardware), 'hardware');
    mustBe([...path, 'rack'], rack, rackNames, 'racks');
    if (prefixes.has(prefix)) problems.push({ path: [...path, 'prefix'], message: `"${prefix}" is used already: give each its own` });
    prefixes.add(prefix);
  });
  templates.forEach(({ nodeSets }, index) => {
    for (const [set, { hardware: kind }] of Object.entries(nodeSets)) {
      mustBe(['datacenter', 'templates', index, 'nodeSets', set, 'hardware'], kind, Object.keys(hardware), 'hardware');
    }
  });
  tenants.forEach(({ clusters }, tenant) => {
    clusters.forEach(({ template, nodeSets }, index) => {
      const path = ['datacenter', 'tenants', tenant, 'clusters', index];
      const names = templates.map(({ name }) => name);
      mustBe([...path, 'template'], template, names, 'datacenter.templates');
      const sets = Object.keys(templates.find(({ name }) => name === template)?.nodeSets ?? {});
      for (const set of Object.keys(nodeSets)) mustBe([...path, 'nodeSets', set], set, sets, `the node sets of ${template}`);
    });
  });
  return problems;
}
