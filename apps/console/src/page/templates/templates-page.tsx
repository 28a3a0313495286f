import { templateKind } from '../api/object-kind.ts';
import type { TemplateObject } from '../clusters/template-object.ts';
import { countOf } from '../model/amounts.ts';
import { type ObjectColumn, titleColumn } from '../objects/object-columns.tsx';
import { ObjectTable } from '../objects/object-table.tsx';
import { rowsOfSets } from '../objects/sized-sets.ts';
import { TemplateForm } from './template-form.tsx';

/** `3 control, 8 workers`. */
const setsWords = ({ node_sets: sets }: TemplateObject): string =>
  rowsOfSets(sets)
    .map(({ name, size }) => `${size} ${name}`)
    .join(', ');

function parametersWords({ parameters }: TemplateObject): string {
  const needed = parameters.filter(({ required, default: fallback }) => required && fallback === undefined).length;
  if (parameters.length === 0) return 'none';
  return needed === 0 ? countOf(parameters.length, 'parameter') : `${countOf(parameters.length, 'parameter')}, ${needed} required`;
}

const columns: readonly ObjectColumn<TemplateObject>[] = [
  titleColumn,
  { name: 'sets', heading: 'Hosts', titleOf: setsWords, show: setsWords },
  { name: 'parameters', heading: 'Parameters', show: parametersWords },
];

/** What clusters can be made from. */
export function TemplatesPage() {
  return (
    <ObjectTable
      kind={templateKind}
      layout="template"
      columns={columns}
      filterHint="filter: words, title:gpu, or CEL"
      create={{ label: 'New template', form: TemplateForm }}
      empty={
        <p>
          There are no templates, so no cluster can be ordered. A provider creates one with the button above or with{' '}
          <code>quartermaster create clustertemplate</code>.
        </p>
      }
    />
  );
}
