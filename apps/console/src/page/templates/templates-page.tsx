import { Link } from 'wouter';
import { nameOf } from '../api/api-object.ts';
import { templateKind } from '../api/object-kind.ts';
import type { TemplateObject } from '../clusters/template-object.ts';
import { objectHref } from '../model/addresses.ts';
import { countOf } from '../model/amounts.ts';
import { CreateButton } from '../objects/create-button.tsx';
import { type ObjectColumn, ObjectTable } from '../objects/object-table.tsx';
import { TemplateForm } from './template-form.tsx';

const href = ({ id }: TemplateObject): string => objectHref('cluster_templates', id);

/** `3 control, 8 workers`. */
function setsWords({ node_sets: sets }: TemplateObject): string {
  return Object.entries(sets)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { size }]) => `${size} ${name}`)
    .join(', ');
}

function parametersWords({ parameters }: TemplateObject): string {
  const needed = parameters.filter(({ required, default: fallback }) => required && fallback === undefined).length;
  if (parameters.length === 0) return 'nothing';
  return needed === 0 ? countOf(parameters.length, 'parameter') : `${countOf(parameters.length, 'parameter')}, ${needed} needed`;
}

const columns: readonly ObjectColumn<TemplateObject>[] = [
  {
    name: 'name',
    heading: 'Name',
    orderBy: 'metadata.name',
    titleOf: ({ id }) => id,
    show: (template) => (
      <Link href={href(template)} tabIndex={-1}>
        {nameOf(template)}
      </Link>
    ),
  },
  { name: 'title', heading: 'Title', orderBy: 'title', titleOf: ({ title }) => title, show: ({ title }) => title },
  { name: 'sets', heading: 'Hosts', titleOf: setsWords, show: setsWords },
  { name: 'parameters', heading: 'Asks for', show: parametersWords },
];

/** What clusters can be made from. */
export function TemplatesPage() {
  return (
    <ObjectTable<TemplateObject>
      kind={templateKind}
      title="Templates"
      layout="template"
      columns={columns}
      defaultOrder="name"
      hrefOf={href}
      filterHint={'this.title.contains("GPU")'}
      actions={
        <CreateButton<TemplateObject>
          kind={templateKind}
          label="New template"
          form={({ cancel, saved }) => <TemplateForm onCancel={cancel} onSaved={saved} />}
        />
      }
      empty={
        <p>
          There are no templates, so that no cluster can be ordered. A provider makes one with the button above or with{' '}
          <code>quartermaster create clustertemplate</code>.
        </p>
      }
    />
  );
}
