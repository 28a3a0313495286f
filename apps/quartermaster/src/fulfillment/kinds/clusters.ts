import type { JsonObject } from '@bufbuild/protobuf';
import { clusterState } from '@quartermaster/api/states';
import { Option } from 'commander';
import { entriesAt, isJsonObject, listAt } from '../../text/json-path.ts';
import { repeatedOption } from '../../text/repeated-option.ts';
import { age, common, name, reference, setsText, state, text, wantedHosts } from './columns.ts';
import { type CreateFlags, type Kind, type KindCreation, namesOfKind } from './kind.ts';

interface CreateClusterFlags extends CreateFlags {
  readonly template: string;
  readonly nodeSet: readonly string[];
  readonly parameter: readonly string[];
}

const sets = 'spec.node_sets';

const creation: KindCreation<CreateClusterFlags> = {
  summary: 'A cluster from a template.',
  options: [
    new Option('--template <name>', 'cluster template').makeOptionMandatory(),
    repeatedOption('--node-set <name=size[:class]>', 'size of a node set, such as workers=3'),
    repeatedOption('--parameter <name=value>', 'parameter of the template'),
  ],
  fields: async ({ template, nodeSet, parameter }, find) => {
    const { nodeSetOf, templateParameters } = await import('./template-parameters.ts');
    const parameters = parameter.length === 0 ? {} : templateParameters(await find('cluster-templates', template), parameter);
    return { spec: { template, template_parameters: parameters, node_sets: Object.fromEntries(nodeSet.map(nodeSetOf)) } };
  },
};

export const clusters: Kind = {
  ...namesOfKind('Cluster'),
  hasSecrets: true,
  summary: 'Clusters: what was ordered, and its state.',
  columns: [
    name,
    reference('TEMPLATE', 'spec.template', 'cluster-templates'),
    state(clusterState),
    { header: 'HOSTS', cell: hostsText },
    reference('HUB', 'status.hub', 'hubs', { isPrivate: true }),
    text('API', 'status.api_url'),
    age,
    ...common,
    { header: 'NODE SETS', isWide: true, cell: (object, look) => setsText(object, sets, look) },
    text('CONSOLE', 'status.console_url', { isWide: true }),
    text('ALIAS', 'status.alias', { isWide: true, isPrivate: true }),
    text('PORT', 'status.port', { isWide: true, isPrivate: true }),
  ],
  stateOf: clusterState,
  related: [{ plural: 'hosts', reference: 'status.cluster' }],
  references: [
    ['spec.template', 'cluster-templates'],
    ['status.hub', 'hubs'],
  ],
  sets,
  creation,
};

/** Assigned hosts of those that were ordered: `2 of 3`. */
function hostsText(object: JsonObject): string {
  const assigned = entriesAt(object, 'status.node_sets').map(([, set]) => (isJsonObject(set) ? listAt(set, 'hosts').length : 0));
  return `${assigned.reduce((sum, each) => sum + each, 0)} of ${wantedHosts(object, sets)}`;
}
