import type { JsonObject } from '@bufbuild/protobuf';
import { isJsonObject, listAt, textAt, valueAt } from '../../text/json-path.ts';
import { age, common, name, orNothing, setsText, title } from './columns.ts';
import { type Kind, namesOfKind } from './kind.ts';

const sets = 'node_sets';

export const clusterTemplates: Kind = {
  ...namesOfKind('ClusterTemplate'),
  summary: 'Cluster templates: what can be ordered.',
  columns: [
    name,
    title,
    { header: 'NODE SETS', cell: (object, look) => setsText(object, sets, look) },
    { header: 'PARAMETERS', cell: parametersText },
    age,
    ...common,
  ],
  references: [],
  sets,
};

function parametersText(object: JsonObject): string {
  const names = listAt(object, 'parameters')
    .filter(isJsonObject)
    .map((parameter) => `${textAt(parameter, 'name')}${valueAt(parameter, 'required') === true ? '*' : ''}`);
  return orNothing(names.join(', '));
}
